//! The door for partitioners: the table of methods.

use std::str::FromStr;

use crate::exact::Exact;
use crate::free::Auto;
use crate::learned::Learner;
use crate::options::{Entry, Method};
use crate::outside::Outside;

/// Every method; names of options, help texts and comparisons are taken from here.
///
/// To add one, implement [`Proposer`](crate::Proposer) in a file of its own and name it here. `passes/` has the list once more, in
/// `Passes.td`, and a test compares the two.
pub static METHODS: [Method; 5] = [Method::DP, Method::RL, Method::AUTO, Method::EXACT, Method::GENETIC];

impl Method {
    /// Dynamic programming and fine-tuning; loads no learner.
    pub const DP: Method = Method::new(&Entry {
        name: "dp",
        about: "the best cut of the op sequence by dynamic programming, fine-tuned",
        seeded: false,
        proposer: None,
    });
    /// That, and then the learner, starting from its answer.
    pub const RL: Method = Method::new(&Entry {
        name: "rl",
        about: "dp, then the learner from its answer",
        seeded: true,
        proposer: Some(|options| Box::new(Learner::new(&options.rl))),
    });
    /// The cut, the folded layers of a training step, and a free search from both; the best is kept.
    pub const AUTO: Method = Method::new(&Entry {
        name: "auto",
        about: "the cut, the folded layers of a training step and a free search from both; the best is kept",
        seeded: true,
        proposer: Some(|options| Box::new(Auto { mover: options.mover })),
    });
    /// Dynamic programming, and then all partitions that form a pipeline, with proof.
    pub const EXACT: Method = Method::new(&Entry {
        name: "exact",
        about: "dp, then all partitions whose stages form a pipeline, with proof",
        seeded: true,
        proposer: Some(|_| Box::new(Exact)),
    });
    /// Dynamic programming, and then the genetic search.
    pub const GENETIC: Method = Method::new(&Entry {
        name: "genetic",
        about: "dp, then the genetic search with its answer in the first generation",
        seeded: true,
        proposer: Some(|options| Box::new(options.genetic.clone())),
    });
    /// A program that is no part of Ballast ([`crate::Options::outside`]); not among [`METHODS`], since it needs a path.
    pub const EXEC: Method = Method::new(&Entry {
        name: "exec",
        about: "dp, and a program of others beside it: a workload as JSON on its standard input, a device per node on its standard output",
        seeded: true,
        proposer: Some(|options| Box::new(Outside { program: options.outside.clone() })),
    });
}

impl Default for Method {
    fn default() -> Self {
        Method::DP
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
