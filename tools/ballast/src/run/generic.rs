//! Programs in the forms that JAX gives them: pretty text, bytecode, artifacts. Stock MLIR parses StableHLO in generic form alone, which a
//! Python with JAX writes of any.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::tools::capture;
use crate::failure::Failure;
use crate::output::read_bytes;

/// The package's own script, so that no package need be installed.
const SCRIPT: &str = include_str!("../../../python/src/ballast/export/generic.py");

/// The program itself where it is in generic form, or else a copy in it, in the folder, by a Python with JAX, which may take so long.
///
/// # Errors
/// The file cannot be read, is no program in any of the forms, or Python cannot be run.
pub(crate) fn generic(
    program: &Path,
    folder: &Path,
    python: &Path,
    limit: Duration,
) -> Result<PathBuf, Failure> {
    if is_generic(&read_bytes(program)?) {
        return Ok(program.to_owned());
    }
    let to = folder.join("generic.mlir");
    write(program, &to, true, folder, python, limit)?;
    Ok(to)
}

/// Writes a program in generic form, with its optimization barriers or without.
///
/// # Errors
/// As [`generic`].
pub(crate) fn write(
    program: &Path,
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
    run.arg(&script).arg(program).arg("-o").arg(to);
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
    use super::is_generic;

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
