//! `ballast-opt`: MLIR's driver, with the files it reads and writes in our hands.
//!
//! MLIR's own main opens its output, and so empties it, before it has read the input, and deletes it when a pass fails. Here the input is read
//! first and whole, the output must be another file, and it is replaced once everything has gone well.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::Path;

use ballast_core::file::{self, Output};
use ballast_core::log;
use ballast_core::printable::printable;
use ballast_dialects::driver::{Driver, Ending};
use ballast_dialects::signals::{end_by_closed_pipe, ended_by_closed_pipes};

use crate::files::{self, ProgramFiles};

/// MLIR's code for a program or pass that was refused with a diagnostic.
const REFUSED: i32 = 1;
/// A file that cannot be read or written.
const BAD_FILE: i32 = 2;

/// Runs the driver; the exit status.
pub(crate) fn main(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    log::to_stderr();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let (driver, listed) = ended_by_closed_pipes(|| {
        if arguments.iter().skip(1).any(|argument| argument == "--version" || argument == "-version") {
            say_versions();
        }
        let driver = Driver::parse(arguments);
        let listed = driver.list();
        (driver, listed)
    });
    if let Some(status) = listed {
        return status;
    }
    run(&driver).unwrap_or_else(|message| {
        // Where standard error is closed there is nobody left to tell.
        let _ = writeln!(std::io::stderr(), "{}", printable(&message));
        BAD_FILE
    })
}

/// Ours; MLIR's own follow where it reads the command line, which ends the process, also where this could not be written.
#[expect(clippy::disallowed_methods, reason = "LLVM writes to it next, and says how that went")]
fn say_versions() {
    let versions = format!("ballast {}\n{}", env!("CARGO_PKG_VERSION"), ballast_planner::versions());
    let _ = std::io::stdout().write_all(versions.as_bytes());
}

#[expect(clippy::disallowed_methods, reason = "MLIR writes to it, and says how that went")]
fn run(driver: &Driver) -> Result<i32, String> {
    let standard = |path: &Path| path.as_os_str() == "-";
    let (input, output) = (driver.input.as_path(), driver.output.as_path());
    if !standard(output) && !standard(input) && file::same(input, output) {
        let name = output.display();
        return Err(format!("ballast-opt: -o {name}: the program is read from this file: give another"));
    }
    let refused = |what: &str, path: &Path, error: std::io::Error| {
        format!("ballast-opt: cannot open {what} file '{}': {error}", path.display())
    };
    let mut target = None;
    if !standard(output) {
        target = Some(Output::create(output).map_err(|error| refused("output", output, error))?);
    }
    let name = if standard(input) { Path::new("<stdin>") } else { input };
    let program = if standard(input) { read_stdin() } else { file::read(input) };
    let program = program.map_err(|error| refused("input", name, error))?;
    let form = other_form(&program);
    files::keep(ProgramFiles { input: name.to_owned(), output: output.to_owned() });
    let outcome = match &target {
        Some(target) => driver.run(name, program, target.as_fd(), target.partial()),
        None => driver.run(name, program, std::io::stdout().as_fd(), None),
    };
    let written = match outcome {
        Ending::Refused => {
            if let Some(form) = form {
                say_how_to_convert(name, form);
            }
            return Ok(REFUSED);
        }
        Ending::NotWritten(error) => Err(error),
        Ending::Done => target.map_or(Ok(()), Output::finish),
    };
    match written {
        Ok(()) => Ok(0),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(end_by_closed_pipe()),
        Err(error) => Err(format!("ballast-opt: cannot write output file '{}': {error}", output.display())),
    }
}

/// What a program is, where MLIR reads it only with StableHLO's own dialects, which it has not.
fn other_form(program: &[u8]) -> Option<&'static str> {
    /// Who says in bytecode to have made it: portable artifacts and exports of JAX have that in them.
    const PRODUCER: &[u8] = b"StableHLO_v";
    /// How far into a file its form is looked for: its first ops are there.
    const HEAD: usize = 1 << 20;
    let head = program.get(..HEAD).unwrap_or(program);
    if head.windows(PRODUCER.len()).any(|bytes| bytes == PRODUCER) {
        return Some("bytecode of StableHLO");
    }
    let has_op =
        |line: &[u8]| line.starts_with(b"stablehlo.") || line.windows(12).any(|at| at == b"= stablehlo.");
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_start);
    lines.any(has_op).then_some("text in StableHLO's own form")
}

/// A program may also be refused for something else: what to try, not what was wrong.
fn say_how_to_convert(name: &Path, form: &str) {
    let name = name.display().to_string();
    let text = format!(
        "ballast-opt: note: '{name}' is {form}: MLIR reads StableHLO as text in generic form alone, which `python -m \
         ballast.export.generic PROGRAM -o GENERIC` writes; `ballast fit` reads it as it is"
    );
    // Where standard error is closed there is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "{}", printable(&text));
}

fn read_stdin() -> std::io::Result<Vec<u8>> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let _ =
            writeln!(std::io::stderr(), "(processing input from stdin now, hit ctrl-c/ctrl-d to interrupt)");
    }
    file::read_open(File::from(stdin.as_fd().try_clone_to_owned()?))
}

#[cfg(test)]
mod tests {
    use super::other_form;

    #[test]
    fn forms_that_mlir_does_not_read_are_told_from_generic_text() {
        let pretty = "  %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>\n";
        assert_eq!(other_form(pretty.as_bytes()), Some("text in StableHLO's own form"));
        assert_eq!(other_form(b"    stablehlo.return %1 : tensor<i1>"), Some("text in StableHLO's own form"));
        assert_eq!(other_form(b"ML\xefR\rStableHLO_v1.9.0"), Some("bytecode of StableHLO"));
        assert_eq!(other_form(b"ML\xefR\rMLIR22.1.0"), None, "MLIR reads that of its own dialects");
        let generic = [
            "%0 = \"stablehlo.add\"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
            "%0 = \"stablehlo.compare\"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>) -> tensor<i1>",
            "// stablehlo.add is an op",
            "func.func @main() { return }",
            "",
        ];
        for text in generic {
            assert_eq!(other_form(text.as_bytes()), None, "{text}");
        }
    }
}
