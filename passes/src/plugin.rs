//! Entry points of `libballast.so`: what plugin hosts and the driver look up by name.

use ballast_dialects::{export_plugin, passes, passes_in_scope};

// The passes, each a module named as its flag.
use crate::apply::*;
use crate::lower::*;
use crate::plan::*;
use crate::report::*;
use crate::{driver, signals};

fn register() {
    passes::register(passes_in_scope!());
}

fn main() -> i32 {
    register();
    signals::own_the_process();
    driver::main(std::env::args_os())
}

const VERSION: &std::ffi::CStr =
    match std::ffi::CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };

export_plugin!(name: c"ballast", version: VERSION, register: register, main: main);
