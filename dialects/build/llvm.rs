//! Where LLVM and MLIR are, and how their tools are run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Where Debian's packages put LLVM 22.
const DEFAULT_PREFIX: &str = "/usr/lib/llvm-22";

/// An installed LLVM with MLIR.
pub(crate) struct Llvm {
    prefix: PathBuf,
}

impl Llvm {
    /// Finds the installation in `MLIR_SYS_220_PREFIX` (the variable mlir-sys itself reads) or the default place.
    pub(crate) fn find() -> Result<Self, String> {
        let prefix =
            env::var_os("MLIR_SYS_220_PREFIX").map_or_else(|| PathBuf::from(DEFAULT_PREFIX), PathBuf::from);
        let llvm = Llvm { prefix };
        for needed in
            [llvm.clang(), llvm.tool("mlir-tblgen"), llvm.tool("llvm-tblgen"), llvm.include().join("mlir")]
        {
            if !needed.exists() {
                return Err(format!(
                    "{} is missing: LLVM and MLIR 22 are needed; run `cargo xtask setup`, or name their folder in \
                     MLIR_SYS_220_PREFIX",
                    needed.display()
                ));
            }
        }
        Ok(llvm)
    }

    /// The C++ compiler.
    pub(crate) fn clang(&self) -> PathBuf {
        self.tool("clang++")
    }

    /// Headers and `.td` files.
    pub(crate) fn include(&self) -> PathBuf {
        self.prefix.join("include")
    }

    /// Libraries.
    pub(crate) fn libraries(&self) -> PathBuf {
        self.prefix.join("lib")
    }

    fn tool(&self, name: &str) -> PathBuf {
        self.prefix.join("bin").join(name)
    }

    /// Runs mlir-tblgen on `input` and writes `output`.
    pub(crate) fn tablegen(
        &self,
        input: &Path,
        arguments: &[&str],
        output: &Path,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let text = self.run("mlir-tblgen", input, arguments)?;
        // An untouched file keeps its time stamp, so that a change of comments alone compiles nothing again.
        if fs::read(output).is_ok_and(|old| old == text) {
            return Ok(());
        }
        fs::write(output, text).map_err(|error| format!("cannot write {}: {error}", output.display()).into())
    }

    /// All records of a `.td` file, as llvm-tblgen dumps them.
    pub(crate) fn records(&self, input: &Path) -> Result<serde_json::Value, Box<dyn std::error::Error>> {
        Ok(serde_json::from_slice(&self.run("llvm-tblgen", input, &["--dump-json"])?)?)
    }

    fn run(&self, tool: &str, input: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
        let output = Command::new(self.tool(tool))
            .args(arguments)
            .arg("-I")
            .arg("td")
            .arg("-I")
            .arg(self.include())
            .arg(input)
            .output()
            .map_err(|error| format!("cannot run {tool}: {error}"))?;
        if !output.status.success() {
            return Err(format!(
                "{tool} {} failed on {}:\n{}",
                arguments.join(" "),
                input.display(),
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        Ok(output.stdout)
    }
}
