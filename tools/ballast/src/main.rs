//! `ballast`: see the library of that name.

use std::process::ExitCode;

fn main() -> ExitCode {
    ballast_cli::main()
}
