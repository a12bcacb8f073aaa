//! Storage files: what a back end was seen to hold for single ops of one program, beyond what is predicted of it.
//!
//! To memory what a [profile](crate::profile) is to time. Ops are known by number and name, so a file belongs to one program as it is planned.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::file::{FileError, parse_json, text_of};
use crate::graph::{Graph, OpId, OpRole};
use crate::units::Bytes;

/// Version of the storage format this program reads and writes.
pub const STORED_VERSION: u32 = 1;
/// More than any device has, and sums of it stay below 2^64.
const MOST_BYTES: u64 = 1 << 50;

/// What is held for one op.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OpStored {
    /// Number of the op in program order, from 0.
    pub op: OpId,
    /// Its name, such as `stablehlo.add`.
    pub name: String,
    /// Bytes while it runs, besides those that are predicted; at most 2^50.
    #[serde(default, skip_serializing_if = "crate::units::is_zero")]
    pub workspace_bytes: u64,
    /// Is its value stored, though the prediction has it fused into what reads it, or made there?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stored: bool,
}

/// A storage file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StoredFile {
    /// Format version, 1.
    pub version: u32,
    /// What is held, by op, ascending.
    pub ops: Vec<OpStored>,
}

impl StoredFile {
    /// Reads a storage file.
    ///
    /// # Errors
    /// A file that cannot be read, and everything [`StoredFile::parse`] refuses.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        Self::parse(&path.display().to_string(), &text_of(path, "storage file")?)
    }

    /// Reads the text of a storage file; `origin` names it in messages.
    ///
    /// # Errors
    /// Damaged JSON, unknown fields or version, ops out of order or twice, sizes out of range.
    pub fn parse(origin: &str, text: &str) -> Result<Self, FileError> {
        let file: StoredFile = parse_json(origin, text, "storage file")?;
        let refuse = |message| Err(FileError::at(origin, message));
        if file.version != STORED_VERSION {
            return refuse(format!(
                "version {} is not known: this program reads version {STORED_VERSION}; measure again",
                file.version
            ));
        }
        if let Some(pair) = file.ops.windows(2).find(|pair| pair[0].op >= pair[1].op) {
            return refuse(format!(
                "op {} comes after op {}: list ops once, ascending",
                pair[1].op, pair[0].op
            ));
        }
        if let Some(entry) = file.ops.iter().find(|entry| entry.workspace_bytes > MOST_BYTES) {
            return refuse(format!(
                "op {}: workspace-bytes = {} is more than 2^50: give bytes",
                entry.op, entry.workspace_bytes
            ));
        }
        Ok(file)
    }

    /// Is it of this program?
    ///
    /// # Errors
    /// The first op that the program does not have, or that holds nothing while it runs.
    pub fn check(&self, origin: &str, graph: &Graph) -> Result<(), FileError> {
        let refuse = |message| Err(FileError::at(origin, message));
        for entry in &self.ops {
            let Some(op) = graph.ops.get(entry.op.0).filter(|op| op.name == entry.name) else {
                return refuse(format!(
                    "op {} ('{}') is none of the program's: the file was measured on another program; measure again",
                    entry.op, entry.name
                ));
            };
            if op.role == OpRole::View || (op.role == OpRole::Constant && entry.workspace_bytes > 0) {
                return refuse(format!(
                    "op {} ('{}') is a view or a constant, which holds nothing of its own: leave it out",
                    entry.op, entry.name
                ));
            }
        }
        Ok(())
    }

    /// Bytes by op, of those that hold more than is predicted while they run.
    pub fn workspace(&self) -> impl Iterator<Item = (OpId, Bytes)> + '_ {
        let more = self.ops.iter().filter(|entry| entry.workspace_bytes > 0);
        more.map(|entry| (entry.op, Bytes(entry.workspace_bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Op;

    fn refused(text: &str) -> String {
        StoredFile::parse("f.json", text).expect_err("it is refused").to_string()
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let entry = |op, workspace_bytes, stored| OpStored {
            op: OpId(op),
            name: "a.b".into(),
            workspace_bytes,
            stored,
        };
        let file = StoredFile { version: 1, ops: vec![entry(0, 0, true), entry(3, MOST_BYTES, false)] };
        let text = serde_json::to_string(&file).expect("it is written");
        assert_eq!(
            text,
            format!(
                "{{\"version\":1,\"ops\":[{{\"op\":0,\"name\":\"a.b\",\"stored\":true}},{{\"op\":3,\"name\":\"a.b\",\"workspace-bytes\":{MOST_BYTES}}}]}}"
            )
        );
        assert_eq!(StoredFile::parse("f.json", &text), Ok(file.clone()));
        assert!(
            refused(&text.replace(&MOST_BYTES.to_string(), &(MOST_BYTES + 1).to_string())).contains("op 3")
        );
        assert!(refused(&text.replace("\"op\":0", "\"op\":3")).contains("op 3 comes after op 3"));
        assert!(refused(&text.replace("version\":1", "version\":2")).contains("version 2"));
        assert!(refused(&text.replace("stored", "kept")).contains("f.json:1:"));
    }

    #[test]
    fn a_file_of_another_program_is_refused() {
        let op = |name: &str, role| Op { role, ..Op::new(name, vec![], vec![]) };
        let ops =
            vec![op("a.add", OpRole::Compute), op("a.view", OpRole::View), op("a.zero", OpRole::Constant)];
        let graph = Graph { ops, ..Graph::default() };
        let check = |op, name: &str, workspace_bytes, stored| {
            let file = StoredFile {
                version: 1,
                ops: vec![OpStored { op: OpId(op), name: name.into(), workspace_bytes, stored }],
            };
            file.check("f.json", &graph)
        };
        assert_eq!(check(0, "a.add", 5, true), Ok(()));
        assert_eq!(check(2, "a.zero", 0, true), Ok(()));
        for (op, name, bytes) in [(0, "a.sub", 5), (3, "a.add", 5), (1, "a.view", 0), (2, "a.zero", 5)] {
            assert!(check(op, name, bytes, true).is_err(), "{name}");
        }
    }
}
