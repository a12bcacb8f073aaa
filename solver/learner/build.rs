//! Writes the place of libtorch into the library, so that it opens without an environment variable, and its version.

use std::path::Path;

/// The libtorch that `cargo xtask setup` lays out, and that `tch` takes.
const PINNED: &str = "../../tools/xtask/libtorch.txt";

fn main() {
    println!("cargo:rerun-if-changed={PINNED}");
    let pinned = std::fs::read_to_string(PINNED).unwrap_or_default();
    let version = pinned.lines().find_map(|line| line.strip_prefix("torch=="));
    let version = version.and_then(|rest| rest.split_whitespace().next()).unwrap_or("unknown");
    println!("cargo:rustc-env=BALLAST_LIBTORCH={version}");
    println!("cargo:rerun-if-env-changed=LIBTORCH");
    println!("cargo:rerun-if-changed=build.rs");
    let Ok(libtorch) = std::env::var("LIBTORCH") else { return };
    let lib = Path::new(&libtorch).join("lib");
    let lib = lib.canonicalize().unwrap_or(lib);
    // DT_RPATH, not DT_RUNPATH: it also holds for the libraries that libtorch itself needs.
    println!("cargo:rustc-link-arg-cdylib=-Wl,--disable-new-dtags");
    println!("cargo:rustc-link-arg-cdylib=-Wl,-rpath,{}", lib.display());
}
