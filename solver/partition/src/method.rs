//! The door for partitioners: the table of methods.

use std::fmt;
use std::str::FromStr;

use crate::exact::Exact;
use crate::free::Auto;
use crate::learned::Learner;
use crate::options::Options;
use crate::proposer::Proposer;

/// Every method; names of options, help texts and comparisons are taken from here.
///
/// To add one, implement [`Proposer`] in a file of its own and name it here. `passes/` has the list once more, in
/// `Passes.td`, and a test compares the two.
pub static METHODS: [Method; 5] = [Method::DP, Method::RL, Method::AUTO, Method::EXACT, Method::GENETIC];

/// Makes a proposer with the options of its method.
pub type Make = fn(&Options) -> Box<dyn Proposer>;

/// A method as the table knows it.
pub struct Entry {
    /// The name users write.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// Does the partition depend on the seed?
    pub seeded: bool,
    /// Who goes on from the cut by dynamic programming and its fine-tuning; none: nobody.
    pub proposer: Option<Make>,
}

/// How the partition is found, by name.
#[derive(Clone, Copy)]
pub struct Method(&'static Entry);

impl Method {
    /// Dynamic programming and fine-tuning; loads no learner.
    pub const DP: Method = Method(&Entry {
        name: "dp",
        about: "the best cut of the op sequence by dynamic programming, fine-tuned",
        seeded: false,
        proposer: None,
    });
    /// That, and then the learner, starting from its answer.
    pub const RL: Method = Method(&Entry {
        name: "rl",
        about: "dp, then the learner from its answer",
        seeded: true,
        proposer: Some(|options| Box::new(Learner::new(&options.rl))),
    });
    /// The cut, the folded layers of a training step, and a free search from both; the best is kept.
    pub const AUTO: Method = Method(&Entry {
        name: "auto",
        about: "the cut, the folded layers of a training step and a free search from both; the best is kept",
        seeded: true,
        proposer: Some(|_| Box::new(Auto)),
    });
    /// Dynamic programming, and then all partitions that form a pipeline, with proof.
    pub const EXACT: Method = Method(&Entry {
        name: "exact",
        about: "dp, then all partitions whose stages form a pipeline, with proof",
        seeded: true,
        proposer: Some(|_| Box::new(Exact)),
    });
    /// Dynamic programming, and then the genetic search.
    pub const GENETIC: Method = Method(&Entry {
        name: "genetic",
        about: "dp, then the genetic search with its answer in the first generation",
        seeded: true,
        proposer: Some(|options| Box::new(options.genetic.clone())),
    });

    /// A method that is not in the table.
    #[must_use]
    pub const fn new(entry: &'static Entry) -> Self {
        Method(entry)
    }
}

impl std::ops::Deref for Method {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        self.0
    }
}

impl Default for Method {
    fn default() -> Self {
        Method::DP
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Method {}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        METHODS.iter().find(|method| method.name == text).copied().ok_or_else(|| {
            let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
            format!("'{text}' is not a method: choose one of {}", names.join(", "))
        })
    }
}
