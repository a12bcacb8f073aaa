//! The scheme of the first round.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::step::Scheme;
use super::table::QTable;

/// Where learning begins. \[B\] lets the user give a scheme, and begins without swaps otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Initial {
    /// The best scheme of the table that is gone on from; no swaps without one.
    #[default]
    Best,
    /// No swaps.
    None,
    /// Every candidate is swapped.
    All,
    /// This scheme.
    Given(Scheme),
}

impl Initial {
    /// The scheme, for the candidates of a table.
    pub(super) fn scheme(&self, table: &QTable) -> Scheme {
        let all = |swapped| Scheme(vec![swapped; table.candidates.len()]);
        match self {
            Initial::Best => table.best.clone().unwrap_or_else(|| all(false)),
            Initial::None => all(false),
            Initial::All => all(true),
            Initial::Given(scheme) => scheme.clone(),
        }
    }
}

/// `best`, `none`, `all`, or a 0 (stays) or 1 (swapped) for every candidate.
impl FromStr for Initial {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "best" => Ok(Initial::Best),
            "none" => Ok(Initial::None),
            "all" => Ok(Initial::All),
            "" => Err("give `best`, `none`, `all`, or a 0 or 1 for every tensor that may be swapped".into()),
            scheme => Scheme::try_from(scheme.to_owned()).map(Initial::Given),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_schemes_are_named_or_written_out() {
        assert_eq!("best".parse(), Ok(Initial::Best));
        assert_eq!("none".parse(), Ok(Initial::None));
        assert_eq!("all".parse(), Ok(Initial::All));
        assert_eq!("010".parse(), Ok(Initial::Given(Scheme(vec![false, true, false]))));
        assert!("".parse::<Initial>().is_err() && "012".parse::<Initial>().is_err());
    }
}
