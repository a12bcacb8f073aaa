//! What is written where an option is asked for: values of every kind, and whole command lines.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use ballast_core::cap::CapSpec;
use ballast_core::device::Cluster;
use ballast_core::pipeline::Schedule;
use ballast_core::units::Bytes;
use ballast_partition::Method;
use ballast_remat::{Order, Solver};

/// Reads the input as every value there is, and as a command line with one word a line.
///
/// # Panics
/// Where a value that was read is out of the range its kind promises.
pub fn run(input: &[u8]) {
    let words = input.split(|&byte| byte == b'\n').map(|word| OsString::from_vec(word.to_vec()));
    let _ = ballast_cli::reads(std::iter::once("ballast".into()).chain(words));
    let Ok(text) = std::str::from_utf8(input) else { return };
    let _ = text.parse::<Bytes>();
    let _ = text.parse::<Order>();
    let _ = text.parse::<Solver>();
    let _ = text.parse::<Method>();
    if let Ok(cap) = text.parse::<CapSpec>() {
        let bytes = cap.bytes(Bytes(1 << 40), Bytes(1 << 41));
        assert!(bytes.0 > 0, "{text:?} leaves no memory");
    }
    if let Ok(schedule) = text.parse::<Schedule>() {
        assert!((1..=1024).contains(&schedule.chunks()), "{text:?}");
        assert_eq!(schedule.to_string().parse::<Schedule>().ok(), Some(schedule));
    }
    // A path would be opened.
    if !text.contains(['/', '.']) {
        let _ = Cluster::parse(text);
    }
}
