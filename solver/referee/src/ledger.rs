//! What was claimed, what it was held against, and what does not fit together.

use std::collections::BTreeMap;
use std::fmt;

use ballast_core::report::{Bound, BoundClass, PROOF_TOLERANCE};

/// Two claims that cannot both be true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// Name of the domain.
    pub domain: &'static str,
    /// Seed of the program.
    pub seed: u64,
    /// What contradicts what.
    pub text: String,
}

/// How often the bounds of a class were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Bounds.
    pub bounds: u64,
    /// Of those, held against all plans of the class.
    pub brute_force: u64,
    /// Of those, equal to the best of them.
    pub sharp: u64,
    /// Plans of other runs that a bound was held against.
    pub crossed: u64,
}

/// The record of a run of the referee.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Programs planned.
    pub programs: u64,
    /// Searches: programs times sets of options.
    pub runs: u64,
    /// Pairs of runs of which one may do all that the other may.
    pub ladders: u64,
    /// Refusals with proof that were held against all plans.
    pub refusals: u64,
    /// By class of bounds.
    pub classes: BTreeMap<&'static str, Counts>,
    /// Contradictions found.
    pub contradictions: Vec<Contradiction>,
    domain: &'static str,
    seed: u64,
}

/// Is a value no more than another, but for rounding?
#[must_use]
pub fn at_most(value: f64, other: f64) -> bool {
    value <= other + PROOF_TOLERANCE * other.abs().max(f64::MIN_POSITIVE)
}

impl Ledger {
    pub(crate) fn begin(&mut self, domain: &'static str, seed: u64) {
        (self.domain, self.seed) = (domain, seed);
        self.programs += 1;
    }

    /// Notes a contradiction.
    pub fn contradicts(&mut self, text: String) {
        self.contradictions.push(Contradiction { domain: self.domain, seed: self.seed, text });
    }

    /// Notes one unless a claim holds.
    pub fn holds(&mut self, claim: bool, text: impl FnOnce() -> String) {
        if !claim {
            self.contradicts(text());
        }
    }

    /// Counts a bound, and holds it against the best of all plans of its class where those were tried; infinite: there is none.
    pub fn bound(&mut self, bound: Bound, least: Option<f64>, who: impl FnOnce() -> String) {
        let counts = self.classes.entry(bound.class().name()).or_default();
        counts.bounds += 1;
        let Some(least) = least else { return };
        counts.brute_force += 1;
        counts.sharp += u64::from(at_most(least, bound.value()));
        if !at_most(bound.value(), least) {
            let who = who();
            self.contradicts(format!("{who}: {bound:?}, and the best plan of the class takes {least}"));
        }
    }

    /// Holds a bound against a plan of its class that another run found.
    pub fn cross(&mut self, bound: Bound, value: f64, who: impl FnOnce() -> String) {
        self.classes.entry(bound.class().name()).or_default().crossed += 1;
        if !at_most(bound.value(), value) {
            let who = who();
            self.contradicts(format!("{who}: {bound:?}, and a plan of the class takes {value}"));
        }
    }

    /// Classes whose bounds were held against all plans fewer times than asked for.
    #[must_use]
    pub fn unseen(&self, least: u64) -> Vec<&'static str> {
        let seen = |class: &BoundClass| self.classes.get(class.name()).map_or(0, |counts| counts.brute_force);
        BoundClass::ALL.iter().filter(|class| seen(class) < least).map(|class| class.name()).collect()
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} programs, {} programs x option sets", self.programs, self.runs)?;
        writeln!(f, "{:<44} {:>9} {:>12} {:>9} {:>9}", "class", "bounds", "brute force", "sharp", "crossed")?;
        for (class, Counts { bounds, brute_force, sharp, crossed }) in &self.classes {
            writeln!(f, "{class:<44} {bounds:>9} {brute_force:>12} {sharp:>9} {crossed:>9}")?;
        }
        writeln!(f, "{} refusals held against all plans, {} pairs by freedom", self.refusals, self.ladders)?;
        write!(f, "{} contradictions", self.contradictions.len())?;
        for Contradiction { domain, seed, text } in &self.contradictions {
            write!(f, "\n{domain} {seed}: {text}")?;
        }
        Ok(())
    }
}
