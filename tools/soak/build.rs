//! Lets the library of the passes, which is loaded, find the counters of libFuzzer in this program.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic");
}
