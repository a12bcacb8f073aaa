//! The q table and its update, saved and resumed as versioned JSON.

use std::collections::BTreeMap;

use ballast_core::graph::LayerType;
use serde::{Deserialize, Serialize};

use super::actions::{Action, Actions};
use super::step::{Candidate, Scheme};

/// Version of the table file this program writes and reads.
pub const TABLE_VERSION: u32 = 1;

/// q_k(s,t) of \[B\]: `q + alpha·(r + gamma·q_next - q)`, where q and r belong to the scheme and tensor group of the
/// round before and q_next to the pair chosen for this round.
#[must_use]
pub fn updated(q: f64, reward: f64, q_next: f64, alpha: f64, gamma: f64) -> f64 {
    q + alpha * (reward + gamma * q_next - q)
}

/// Learned values of (scheme, tensor group), and the best scheme met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QTable {
    /// [`TABLE_VERSION`].
    pub version: u32,
    /// Layer types of the candidates, in order: what a table must match to be used.
    pub candidates: Vec<LayerType>,
    /// The value of every pair not listed.
    pub initial: f64,
    /// Rounds learned so far.
    pub rounds: u64,
    /// The best scheme met.
    pub best: Option<Scheme>,
    /// By scheme, then by group.
    entries: Vec<Entry>,
    /// Position of a scheme in `entries`.
    #[serde(skip)]
    index: BTreeMap<Scheme, usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    scheme: Scheme,
    values: Vec<(Action, f64)>,
}

/// A table that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TableError(String);

impl QTable {
    /// An empty table: every q is `initial`.
    #[must_use]
    pub fn new(candidates: &[Candidate], initial: f64) -> Self {
        QTable {
            version: TABLE_VERSION,
            candidates: candidates.iter().map(|candidate| candidate.layer).collect(),
            initial,
            rounds: 0,
            best: None,
            entries: Vec::new(),
            index: BTreeMap::new(),
        }
    }

    /// Reads a saved table.
    ///
    /// # Errors
    /// Text that is no table, another version, values that are no numbers, schemes or groups that do not fit its
    /// own candidates.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let refuse = |reason: String| Err(TableError(reason));
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| TableError(format!("not a q table: {error}")))?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(TABLE_VERSION) => {}
            Some(version) => {
                return refuse(format!(
                    "q table of version {version}; this program reads version {TABLE_VERSION}: learn it again"
                ));
            }
            None => return refuse("not a q table: it has no 'version'".into()),
        }
        let mut table: QTable = serde_json::from_value(value)
            .map_err(|error| TableError(format!("a damaged q table: {error}")))?;
        let width = table.candidates.len();
        let fits = |scheme: &Scheme| scheme.0.len() == width;
        if !table.best.iter().all(fits) || !table.entries.iter().all(|entry| fits(&entry.scheme)) {
            return refuse(format!("a damaged q table: a scheme has not {width} entries"));
        }
        let sound = |(action, q): &(Action, f64)| {
            q.is_finite()
                && match *action {
                    Action::Flip(i) => i < width,
                    Action::Swap(layer, count) => {
                        count <= table.candidates.iter().filter(|&&l| l == layer).count()
                    }
                }
        };
        if !table.entries.iter().all(|entry| entry.values.iter().all(sound)) || !table.initial.is_finite() {
            return refuse("a damaged q table: a value or a tensor group is none".into());
        }
        for (i, entry) in table.entries.iter().enumerate() {
            if table.index.insert(entry.scheme.clone(), i).is_some() {
                return refuse("a damaged q table: a scheme is listed twice".into());
            }
        }
        Ok(table)
    }

    /// Refuses a table learned on a step with other candidates.
    ///
    /// # Errors
    /// [`TableError`] saying what differs.
    pub fn check_fits(&self, candidates: &[Candidate]) -> Result<(), TableError> {
        let same = self.candidates.iter().eq(candidates.iter().map(|candidate| &candidate.layer));
        same.then_some(()).ok_or_else(|| {
            TableError(format!(
                "the q table belongs to another program: it has {} tensors to swap, or other layer types, and this \
                 one has {}",
                self.candidates.len(),
                candidates.len()
            ))
        })
    }

    /// q of a pair.
    #[must_use]
    pub fn value(&self, scheme: &Scheme, action: Action) -> f64 {
        self.row(scheme).iter().find(|(known, _)| *known == action).map_or(self.initial, |&(_, q)| q)
    }

    /// Learned values at a scheme.
    pub(super) fn row(&self, scheme: &Scheme) -> &[(Action, f64)] {
        self.index.get(scheme).map_or(&[], |&i| &self.entries[i].values)
    }

    /// Sets q of a pair.
    pub fn set(&mut self, scheme: &Scheme, action: Action, q: f64) {
        let i = *self.index.entry(scheme.clone()).or_insert_with(|| {
            self.entries.push(Entry { scheme: scheme.clone(), values: Vec::new() });
            self.entries.len() - 1
        });
        let values = &mut self.entries[i].values;
        match values.iter_mut().find(|(known, _)| *known == action) {
            Some((_, value)) => *value = q,
            None => values.push((action, q)),
        }
    }

    /// The actions with the smallest q at a scheme.
    pub(super) fn smallest(&self, scheme: &Scheme, actions: &Actions) -> Vec<Action> {
        let row = self.row(scheme);
        let least = row.iter().map(|&(_, q)| q).fold(f64::INFINITY, f64::min);
        let unknown = || actions.list().iter().copied().filter(|a| row.iter().all(|(known, _)| known != a));
        let known = || row.iter().filter(|&&(_, q)| q == least).map(|&(action, _)| action);
        if self.initial < least {
            let fresh: Vec<Action> = unknown().collect();
            if fresh.is_empty() { known().collect() } else { fresh }
        } else if self.initial == least {
            known().chain(unknown()).collect()
        } else {
            known().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::step::tests::chain;
    use super::*;

    #[test]
    fn the_update_of_the_printed_example() {
        let first = updated(0.0, 0.6, 0.0, 0.5, 0.9);
        assert!((first - 0.3).abs() < 1e-12);
        assert!((updated(first, 0.6, 0.4, 0.5, 0.9) - 0.63).abs() < 1e-12);
    }

    fn table() -> QTable {
        let candidates = chain(4, 80, 1.0).candidates();
        let mut table = QTable::new(&candidates, 10.0);
        let none = Scheme(vec![false; candidates.len()]);
        table.set(&none, Action::Flip(2), 9.5);
        table.set(&none, Action::Swap(LayerType::Convolution, 2), 9.25);
        table.best = Some(none);
        table
    }

    #[test]
    fn saved_tables_come_back_whole() {
        let table = table();
        let text = serde_json::to_string(&table).expect("plain data");
        let back = QTable::parse(&text).expect("a table");
        assert_eq!(back, table);
        let none = Scheme(vec![false; table.candidates.len()]);
        assert_eq!(back.value(&none, Action::Flip(2)), 9.5);
        assert_eq!(back.value(&none, Action::Flip(1)), 10.0);
    }

    #[test]
    fn the_smallest_q_is_chosen_and_unknown_pairs_count_as_initial() {
        let mut table = table();
        let candidates = chain(4, 80, 1.0).candidates();
        let actions = Actions::new(&candidates);
        let none = Scheme(vec![false; candidates.len()]);
        assert_eq!(table.smallest(&none, &actions), [Action::Swap(LayerType::Convolution, 2)]);
        table.initial = 0.0;
        let unknown = table.smallest(&none, &actions);
        assert_eq!(unknown.len(), actions.list().len() - 2);
        assert!(!unknown.contains(&Action::Flip(2)));
    }

    #[test]
    fn damaged_tables_are_refused() {
        let text = serde_json::to_string(&table()).expect("plain data");
        for (from, to, part) in [
            ("\"version\":1", "\"version\":7", "version 7"),
            ("\"version\":1", "\"other\":1", "no 'version'"),
            ("9.5", "null", "damaged"),
            ("{\"flip\":2}", "{\"flip\":99}", "tensor group"),
            ("\"best\":\"0", "\"best\":\"", "entries"),
            ("\"rounds\":0", "\"rounds\":-1", "damaged"),
        ] {
            assert!(text.contains(from), "{from} is not in {text}");
            let error = QTable::parse(&text.replacen(from, to, 1)).expect_err(to).to_string();
            assert!(error.contains(part), "{to}: {error}");
        }
        assert!(QTable::parse("{").is_err());
        let other = chain(5, 80, 1.0).candidates();
        assert!(table().check_fits(&other).is_err());
    }
}
