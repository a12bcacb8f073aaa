//! What the `.td` files declare, read through LLVM's own TableGen.

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::cmd;

use crate::workspace::{LLVM_BIN, Workspace};

/// Declares every pass, relative to the root.
pub(crate) const PASSES: &str = "dialects/td/Passes.td";
/// Declares the dialect, its attributes and its ops, relative to the root.
pub(crate) const DIALECT: &str = "dialects/td/Ballast.td";

/// One pass as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    /// The flag without its dashes, e.g. `remat`.
    pub(crate) argument: String,
    /// One sentence.
    pub(crate) summary: String,
    /// In order of declaration.
    pub(crate) options: Vec<PassOption>,
}

/// One option of a pass as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PassOption {
    pub(crate) argument: String,
    /// Meaning, unit, type and default, in one line.
    pub(crate) description: String,
}

/// Writes a page about a file of `dialects/td` with one of mlir-tblgen's generators.
pub(crate) fn page(workspace: &Workspace, generator: &[&str], file: &str) -> Result<String> {
    tablegen(workspace, "mlir-tblgen", generator, file)
}

/// All declared passes, sorted by flag.
pub(crate) fn passes(workspace: &Workspace) -> Result<Vec<Pass>> {
    // MLIR's own tool has no JSON output.
    let records = tablegen(workspace, "llvm-tblgen", &["--dump-json"], PASSES)?;
    passes_in(&serde_json::from_str(&records).context("llvm-tblgen printed broken JSON")?)
}

fn tablegen(workspace: &Workspace, program: &str, arguments: &[&str], file: &str) -> Result<String> {
    cmd!(
        workspace.shell,
        "{LLVM_BIN}/{program} {arguments...} -I dialects/td -I /usr/lib/llvm-22/include {file}"
    )
    .quiet()
    .read()
    .with_context(|| format!("{program} refuses {file}"))
}

fn passes_in(records: &Value) -> Result<Vec<Pass>> {
    let mut passes: Vec<Pass> = definitions(&records["!instanceof"]["PassBase"])
        .map(|name| {
            let record = &records[name];
            let options = definitions(&record["options"])
                .map(|option| read_option(&records[option]))
                .collect::<Result<_>>()?;
            Ok(Pass { argument: text(record, "argument")?, summary: text(record, "summary")?, options })
        })
        .collect::<Result<_>>()?;
    passes.sort_by(|left, right| left.argument.cmp(&right.argument));
    Ok(passes)
}

fn read_option(record: &Value) -> Result<PassOption> {
    let description = text(record, "description")?.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(PassOption { argument: text(record, "argument")?, description })
}

/// Names in a list that holds either names or references to definitions.
fn definitions(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| entry.as_str().or_else(|| entry["def"].as_str()))
}

fn text(record: &Value, field: &str) -> Result<String> {
    let value = record[field].as_str().with_context(|| format!("{} has no {field}", record["!name"]))?;
    Ok(value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Pass, PassOption, passes_in};

    #[test]
    fn passes_come_sorted_with_their_options() {
        let records = json!({
            "!instanceof": { "PassBase": ["Verify", "Remat"] },
            "Verify": { "!name": "Verify", "argument": "ballast-verify", "summary": "Checks.", "options": [] },
            "Remat": {
                "!name": "Remat", "argument": "remat", "summary": "Plans.\n",
                "options": [{ "def": "anonymous_1", "kind": "def" }],
            },
            "anonymous_1": { "!name": "anonymous_1", "argument": "cap", "description": "In bytes.\n  Text." },
        });
        let cap = PassOption { argument: "cap".into(), description: "In bytes. Text.".into() };
        let passes = passes_in(&records).unwrap();
        assert_eq!(
            passes[1],
            Pass { argument: "remat".into(), summary: "Plans.".into(), options: vec![cap] }
        );
        assert_eq!(passes[0].argument, "ballast-verify");
        let broken = json!({ "!instanceof": { "PassBase": ["Verify"] }, "Verify": { "!name": "Verify" } });
        assert!(passes_in(&broken).unwrap_err().to_string().contains("argument"));
    }
}
