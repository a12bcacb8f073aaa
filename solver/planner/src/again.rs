//! What a partitioner is asked for once memory has been planned.

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;
use ballast_core::program::Program;
use ballast_core::stage::settle_views;
use ballast_core::units::Bytes;
use ballast_partition::{Copies, Measured, Next};

use crate::round::Round;
use crate::stages::StageOutcome;
use crate::{Error, Options};

/// Share of the time left that a search for another partition may take.
const REPARTITION_SHARE: f64 = 0.18;

/// What a round came to.
pub(crate) struct Made {
    pub(crate) device_of: Vec<DeviceId>,
    seconds: Vec<f64>,
    raised: Vec<bool>,
}

impl Made {
    pub(crate) fn of(round: &Round) -> Self {
        Made {
            device_of: round.device_of.clone(),
            seconds: round.outcomes.iter().map(|outcome| outcome.score.seconds).collect(),
            raised: round.outcomes.iter().map(StageOutcome::relaxed).collect(),
        }
    }

    fn measured(&self) -> Measured<'_> {
        Measured { device_of: &self.device_of, seconds: &self.seconds, raised: &self.raised }
    }
}

/// Placements whose memory has been planned, for the search of another one.
pub struct Again<'a> {
    /// The device of every op in the best of them.
    pub device_of: &'a [DeviceId],
    /// What all of them came to, the latest last.
    pub rounds: &'a [Measured<'a>],
    /// The cap asked for on every device.
    pub caps: &'a [Bytes],
    /// By what factor at most a cap is raised.
    pub relax_limit: f64,
    /// What copies to the host cost.
    pub copies: Copies,
    /// Searches so far that came to nothing: their random choices are better not made again.
    pub fruitless: u64,
    /// What is asked for.
    pub wanted: Wanted,
    /// Seconds the search may take, where time is limited.
    pub time_limit_seconds: Option<f64>,
}

impl Again<'_> {
    /// The answer of a partitioner with these options.
    ///
    /// # Errors
    /// What the partitioner has to say.
    pub fn ask(
        &self,
        program: &Program<'_>,
        options: &ballast_partition::Options,
    ) -> Result<Vec<Vec<DeviceId>>, String> {
        let found = match self.wanted {
            Wanted::Searched => ballast_partition::repartition(program, options, self.rounds)
                .map(|outcome| vec![outcome.device_of]),
            Wanted::Simple(number) => ballast_partition::simple(program, options, number).map(Vec::from_iter),
            Wanted::Near { next, number } => match self.rounds.last() {
                Some(round) => {
                    let mut options = options.clone();
                    options.limits.seed = options.limits.seed.wrapping_add(number);
                    ballast_partition::neighbours(program, &options, round, next)
                }
                None => Ok(Vec::new()),
            },
        };
        found.map_err(|error| error.to_string())
    }
}

/// Which placements are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The best that a search finds.
    Searched,
    /// The one of this number of those that need no search, such as the folded layers.
    Simple(usize),
    /// Those next to the best, for a caller who plans each.
    Near {
        /// Which.
        next: Next,
        /// Another number draws others.
        number: u64,
    },
}

/// Maps placements and what their plans take to other placements, at most one of them but for [`Wanted::Near`]; none: no other is known.
pub type Repartition<'a> = dyn Fn(&Again<'_>) -> Result<Vec<Vec<DeviceId>>, String> + 'a;

/// How placements are planned, until when, and who makes them.
pub(crate) type Tools<'a, 'b> = (&'a Options, &'a Deadline, &'a Repartition<'b>);

/// Other placements than those `seen`, as far as the partitioner knows any.
pub(crate) fn others(
    program: &Program<'_>,
    (options, deadline, repartition): Tools<'_, '_>,
    best: &Round,
    (caps, seen): (&[Bytes], &[Made]),
    (fruitless, wanted): (u64, Wanted),
) -> Result<Vec<Vec<DeviceId>>, Error> {
    let measured: Vec<Measured<'_>> = seen.iter().map(Made::measured).collect();
    let limit = options.limits.time_limit_seconds;
    let again = Again {
        device_of: &best.device_of,
        rounds: &measured,
        caps,
        relax_limit: options.relax_limit.max(1.0),
        copies: match (options.swap, options.overlap) {
            (false, _) => Copies::Never,
            (true, false) => Copies::InFull,
            (true, true) => Copies::Beside,
        },
        fruitless,
        wanted,
        time_limit_seconds: limit.map(|_| deadline.remaining_seconds() * REPARTITION_SHARE),
    };
    let mut found = repartition(&again).map_err(Error::Partition)?;
    found.iter_mut().for_each(|next| settle_views(program.graph, next));
    // Whoever proposes it: a placement that breaks a rule of the user is none.
    found.retain(|next| program.graph.keeps_device_rules(next));
    Ok(found)
}
