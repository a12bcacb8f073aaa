//! Writes the place of libtorch into the library, so that it opens without an environment variable.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-env-changed=LIBTORCH");
    println!("cargo:rerun-if-changed=build.rs");
    let Ok(libtorch) = std::env::var("LIBTORCH") else { return };
    let lib = Path::new(&libtorch).join("lib");
    let lib = lib.canonicalize().unwrap_or(lib);
    // DT_RPATH, not DT_RUNPATH: it also holds for the libraries that libtorch itself needs.
    println!("cargo:rustc-link-arg-cdylib=-Wl,--disable-new-dtags");
    println!("cargo:rustc-link-arg-cdylib=-Wl,-rpath,{}", lib.display());
}
