//! MLIR optimisation remarks of the category `ballast`: facts about a plan, for people and for programs.
//!
//! Nothing is printed unless the driver was asked to (`--remarks-filter=ballast`, optionally as YAML). Under
//! `--remark-policy=final` MLIR keeps one remark per location and name, so every fact has a name of its own.

use melior::ir::Location;

use crate::ffi::{self, RawFact, view};

/// What a remark says about the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something was planned.
    Passed = 0,
    /// Something could have been planned and was not.
    Missed = 1,
    /// Something was tried and failed.
    Failed = 2,
    /// A figure.
    Analysis = 3,
}

/// One remark, built up and then emitted.
#[derive(Clone, Debug)]
pub struct Remark {
    kind: Kind,
    name: String,
    function: String,
    text: String,
    facts: Vec<(String, String)>,
}

impl Remark {
    /// A remark named `name` about the function called `function`.
    #[must_use]
    pub fn new(kind: Kind, name: &str, function: &str, text: impl Into<String>) -> Self {
        Remark {
            kind,
            name: name.to_owned(),
            function: function.to_owned(),
            text: text.into(),
            facts: Vec::new(),
        }
    }

    /// Adds a fact.
    #[must_use]
    pub fn fact(mut self, key: &str, value: impl ToString) -> Self {
        self.facts.push((key.to_owned(), value.to_string()));
        self
    }

    /// Hands the remark to MLIR.
    pub fn emit(&self, location: Location<'_>) {
        let facts: Vec<RawFact> =
            self.facts.iter().map(|(key, value)| RawFact { key: view(key), value: view(value) }).collect();
        // SAFETY: the location is live, and the strings outlive the call.
        unsafe {
            ffi::ballastRemark(
                location.to_raw(),
                self.kind as u32,
                view(&self.name),
                view(&self.function),
                view(&self.text),
                facts.as_ptr(),
                facts.len(),
            );
        }
    }
}
