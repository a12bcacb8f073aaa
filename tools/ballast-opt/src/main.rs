//! `ballast-opt`: the driver. Opens `libballast.so`, which holds dialect, passes and driver, and runs it.
//!
//! So thin because the code may exist only once per process: the same library is also loaded by stock `mlir-opt` as a
//! plugin, and a driver that linked a second copy could not load it.

use std::error::Error as _;
use std::path::PathBuf;
use std::process::ExitCode;

const LIBRARY: &str = "libballast.so";
/// A file that cannot be read: the library is one.
const BAD_FILE: u8 = 2;
const INTERNAL_ERROR: u8 = 3;

fn main() -> ExitCode {
    match run() {
        Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(INTERNAL_ERROR)),
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "there is no driver yet that could report it")]
            {
                eprintln!("ballast-opt: {error}");
            }
            ExitCode::from(BAD_FILE)
        }
    }
}

fn run() -> Result<i32, Box<dyn std::error::Error>> {
    let path = library()?;
    // SAFETY: the library's initialisers and its main function, whose type this is, are ours.
    unsafe {
        let library = libloading::os::unix::Library::open(
            Some(&path),
            libloading::os::unix::RTLD_NOW | libloading::os::unix::RTLD_LOCAL,
        )
        .map_err(|error| format!("cannot load {}: {}", path.display(), reason(&error)))?;
        let main = library
            .get::<extern "C" fn() -> i32>(c"ballast_opt_main")
            .map_err(|error| format!("{} is not this program's library: {error}", path.display()))?;
        let status = main();
        // MLIR's registries point into the library until the process ends.
        std::mem::forget(library);
        Ok(status)
    }
}

/// What the loader says, one level down, and what to do about it.
fn reason(error: &libloading::Error) -> String {
    let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let runtime = ["libMLIR", "libLLVM"].iter().any(|name| reason.starts_with(name));
    let hint = if runtime { "; the runtime of MLIR 22 is missing: apt-get install libmlir-22" } else { "" };
    format!("{reason}{hint}")
}

/// The library beside this program, or in `../lib` of it where programs and libraries are installed apart.
fn library() -> Result<PathBuf, Box<dyn std::error::Error>> {
    let program = std::env::current_exe()?;
    let folder = program.parent().ok_or("this program has no folder")?;
    let places = [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)];
    places
        .iter()
        .find(|path| path.exists())
        .cloned()
        .ok_or_else(|| format!("{LIBRARY} is neither in {} nor in ../lib of it", folder.display()).into())
}
