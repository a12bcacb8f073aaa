//! Programs in the forms that JAX gives them: pretty text, bytecode, artifacts. Stock MLIR parses StableHLO in generic form alone, which a
//! Python with JAX writes of any.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::tools::capture;
use crate::failure::Failure;
use crate::output::{read_bytes, write_file};

/// The package's own script, so that no package need be installed.
const SCRIPT: &str = include_str!("../../../python/src/ballast/export/generic.py");

/// A program as a file that is read as often as is needed, and by others: itself, or a copy in the folder where it is a pipe, which says nothing twice, or a
/// name under which another process has something else, such as `/dev/stdin`.
///
/// # Errors
/// The file cannot be read or copied.
fn lasting(program: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    if program.is_file() && !["/dev", "/proc"].iter().any(|own| program.starts_with(own)) {
        return Ok(program.to_owned());
    }
    let copy = folder.join("given.mlir");
    write_file(&copy, &read_bytes(program)?)?;
    Ok(copy)
}

/// The program itself where it is in generic form and can be read again, or else a copy in it, in the folder, by a Python with JAX, which may take so long.
///
/// # Errors
/// The file cannot be read, is no program in any of the forms, or Python cannot be run.
pub(crate) fn generic(
    program: &Path,
    folder: &Path,
    python: &Path,
    limit: Duration,
) -> Result<PathBuf, Failure> {
    let file = lasting(program, folder)?;
    if is_generic(&read_bytes(&file)?) {
        return Ok(file);
    }
    let to = folder.join("generic.mlir");
    write((&file, program), &to, true, folder, python, limit)
        .map_err(|failure| failure.of_copy(&file, program))?;
    Ok(to)
}

/// Writes a program, which the user knows by a name, in generic form, with its optimization barriers or without.
///
/// # Errors
/// As [`generic`].
pub(crate) fn write(
    (program, named): (&Path, &Path),
    to: &Path,
    barriers: bool,
    folder: &Path,
    python: &Path,
    limit: Duration,
) -> Result<(), Failure> {
    let what = program.display().to_string();
    let script = folder.join("generic.py");
    std::fs::write(&script, SCRIPT).map_err(|error| Failure::BadInput(format!("{what}: {error}")))?;
    let mut run = Command::new(python);
    run.arg(&script).arg(program).arg("-o").arg(to).arg("--name").arg(named);
    if !barriers {
        run.arg("--without-barriers");
    }
    capture(&mut run, &what, limit).map(|_| ())
}

/// Is this text without an op of StableHLO in pretty form? There, and nowhere else, its name follows white space.
fn is_generic(program: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(program) else { return false };
    !text
        .match_indices("stablehlo.")
        .any(|(at, _)| text[..at].chars().next_back().is_none_or(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::fd::AsRawFd as _;

    use super::{is_generic, lasting};

    #[test]
    fn of_what_is_read_only_once_there_is_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.mlir");
        std::fs::write(&file, "module {}").unwrap();
        assert_eq!(lasting(&file, folder.path()).unwrap(), file);
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"module {}").unwrap();
        drop(writer);
        let pipe = format!("/dev/fd/{}", reader.as_raw_fd());
        let copy = lasting(pipe.as_ref(), folder.path()).unwrap();
        assert_eq!(copy.parent(), Some(folder.path()));
        assert_eq!([0, 1].map(|_| std::fs::read_to_string(&copy).unwrap()), ["module {}"; 2]);
    }

    #[test]
    fn pretty_text_and_bytecode_are_told_from_generic_text() {
        assert!(is_generic(b"%1 = \"stablehlo.tanh\"(%0) : (tensor<2xf32>) -> tensor<2xf32>"));
        assert!(is_generic(b"%1 = \"stablehlo.dot\"(%0) <{p = #stablehlo<precision DEFAULT>}>"));
        assert!(is_generic(b"%0 = linalg.fill ins(%c : f32) outs(%1 : tensor<2xf32>)"));
        assert!(!is_generic(b"%1 = stablehlo.tanh %0 : tensor<2xf32>"));
        assert!(!is_generic(b"stablehlo.return %0 : tensor<f32>"));
        assert!(!is_generic(b"ML\xefR\x0dStableHLO"));
    }
}
