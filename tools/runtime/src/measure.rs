//! One run: arguments in, time and peaks, results out.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde::Serialize;

use crate::elements::{Element, Random};
use crate::heap::{_mlir_memref_to_llvm_free, DEVICE, HOST};

/// Where results go.
const RESULTS: &str = "results.bin";
/// Where figures go.
const FIGURES: &str = "measurement.json";

#[derive(Default)]
struct Run {
    started: Option<Instant>,
    /// Seconds of every run so far.
    seconds: Vec<f64>,
    /// Since when the run has been waiting for a message.
    waits_since: Option<Instant>,
    /// Of each run, seconds spent in messages.
    waiting_seconds: Vec<f64>,
    results: Vec<Taken>,
    bytes: Vec<u8>,
    released: BTreeSet<u64>,
}

/// One result.
#[derive(Serialize)]
struct Taken {
    number: u64,
    element: &'static str,
    elements: u64,
}

/// What `measurement.json` holds.
#[derive(Serialize)]
struct Measurement<'r> {
    seconds: &'r [f64],
    waiting_seconds: &'r [f64],
    peak_bytes: u64,
    host_peak_bytes: u64,
    /// Bytes neither heap got back.
    leaked_bytes: u64,
    results: &'r [Taken],
}

static RUN: Mutex<Option<Run>> = Mutex::new(None);

fn with_run(change: impl FnOnce(&mut Run)) {
    change(RUN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default());
}

/// Forgets earlier runs, for a process that runs one program after the other: times, results, and how large the heaps were.
#[unsafe(no_mangle)]
pub extern "C" fn ballast_renew() {
    with_run(|run| *run = Run::default());
    DEVICE.renew();
    HOST.renew();
}

/// Fills argument `number` from the seed.
///
/// # Safety
/// `address` points at `elements` elements of the numbered type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _mlir_ciface_ballast_fill(
    address: u64,
    elements: u64,
    element: u64,
    number: u64,
    seed: u64,
) {
    let Some(element) = Element::of(element) else { return };
    // SAFETY: the caller's promise.
    let buffer =
        unsafe { std::slice::from_raw_parts_mut(address as *mut u8, elements as usize * element.bytes()) };
    element.fill(buffer, &mut Random::new(seed, number));
}

/// The program starts.
#[unsafe(no_mangle)]
pub extern "C" fn _mlir_ciface_ballast_start() {
    with_run(|run| {
        // The results of an earlier run are gone, and their addresses may be those of new ones.
        run.results.clear();
        run.bytes.clear();
        run.released.clear();
        run.waiting_seconds.push(0.0);
        run.started = Some(Instant::now());
    });
}

/// The program is done.
#[unsafe(no_mangle)]
pub extern "C" fn _mlir_ciface_ballast_stop() {
    with_run(|run| {
        run.seconds.push(run.started.map_or(0.0, |started| started.elapsed().as_secs_f64()));
    });
}

/// The program waits for a message to go or to come.
#[unsafe(no_mangle)]
pub extern "C" fn _mlir_ciface_ballast_wait() {
    with_run(|run| run.waits_since = Some(Instant::now()));
}

/// The message is through.
#[unsafe(no_mangle)]
pub extern "C" fn _mlir_ciface_ballast_resume() {
    with_run(|run| {
        let waited = run.waits_since.take().map_or(0.0, |since| since.elapsed().as_secs_f64());
        if let Some(total) = run.waiting_seconds.last_mut() {
            *total += waited;
        }
    });
}

/// Exits with status 1 where the process is not the one the program was made for.
#[unsafe(no_mangle)]
pub extern "C" fn _mlir_ciface_ballast_rank(rank: u64, device: u64) {
    if rank != device {
        #[expect(clippy::print_stderr, reason = "all a process of several can do is to say so and end")]
        {
            eprintln!("the program of rank {device} runs as rank {rank}");
        }
        std::process::exit(1);
    }
}

/// Keeps a result; results come in order.
///
/// # Safety
/// `address` points at `elements` elements of the numbered type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _mlir_ciface_ballast_take(address: u64, elements: u64, element: u64, number: u64) {
    let Some(element) = Element::of(element) else { return };
    // SAFETY: the caller's promise.
    let buffer =
        unsafe { std::slice::from_raw_parts(address as *const u8, elements as usize * element.bytes()) };
    with_run(|run| {
        run.bytes.extend_from_slice(buffer);
        run.results.push(Taken { number, element: element.name(), elements });
    });
}

/// Frees an argument or a result, once: results may share a buffer.
///
/// # Safety
/// `address` is that of a block of the device's heap, live or released by this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _mlir_ciface_ballast_release(address: u64) {
    with_run(|run| {
        if run.released.insert(address) {
            // SAFETY: the caller's promise, and the first release of this block.
            unsafe { _mlir_memref_to_llvm_free(address as *mut c_void) }
        }
    });
}

/// Writes results and figures. Exits with status 1 where they cannot be written.
#[unsafe(no_mangle)]
pub extern "C" fn _mlir_ciface_ballast_finish() {
    with_run(|run| {
        let figures = Measurement {
            seconds: &run.seconds,
            waiting_seconds: &run.waiting_seconds,
            peak_bytes: DEVICE.peak(),
            host_peak_bytes: HOST.peak(),
            leaked_bytes: DEVICE.live() + HOST.live(),
            results: &run.results,
        };
        let written = File::create(RESULTS)
            .and_then(|mut file| file.write_all(&run.bytes))
            .and_then(|()| File::create(FIGURES))
            .and_then(|file| serde_json::to_writer(file, &figures).map_err(Into::into));
        if let Err(error) = written {
            let _ = writeln!(std::io::stderr(), "{RESULTS} and {FIGURES} cannot be written: {error}");
            std::process::exit(1);
        }
    });
}
