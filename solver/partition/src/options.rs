//! What a partition is asked for, by which method, and whether that makes sense. The table of methods is [`crate::method`].

use std::fmt;

use ballast_core::device::DeviceId;
use ballast_core::graph::{OpId, OpRole};
use ballast_core::limits::{Clock, Limits};
use ballast_core::outside::Executable;
use ballast_core::program::Program;
use ballast_core::units::Bytes;

use crate::error::Error;
use crate::genetic::Genetic;
use crate::proposer::Proposer;
use crate::relief::Copies;
use crate::rl::machine::{Goal, Reward, Score};
use crate::rl::train;
use crate::sequence::{Granularity, Order};

/// What the caller wants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// How the partition is found.
    pub method: Method,
    /// What an item of the sequence is.
    pub granularity: Granularity,
    /// In which order the ops stand.
    pub order: Order,
    /// Time, work, seed, threads.
    pub limits: Limits,
    /// What the time limit counts.
    pub clock: Clock,
    /// Who moves ops in the free search.
    pub mover: Mover,
    /// Cap of every device; none: the devices' memories.
    pub caps: Option<Vec<Bytes>>,
    /// By what factor at most a cap may be raised that no memory plan keeps, where plans follow; none: by any.
    pub relax_limit: Option<f64>,
    /// What copies to the host cost, where memory plans follow.
    pub copies: Copies,
    /// Must every device get an op, also where fewer devices are faster?
    pub use_all_devices: bool,
    /// A partition to improve on, one device per op (entries of views and constants are not read).
    pub start: Option<Vec<DeviceId>>,
    /// The learner.
    pub rl: train::Options,
    /// The genetic search.
    pub genetic: Genetic,
    /// The program that partitions, where the method is [`Method::EXEC`].
    pub outside: Option<Executable>,
}

impl Options {
    /// What placements are compared by, where the search begins with these loads: the slowest stage, or what the learner is
    /// rewarded for.
    pub(crate) fn goal(&self, start: Score) -> Goal {
        let reward = if self.method == Method::RL { self.rl.reward } else { Reward::MaxTime };
        train::Options { reward, ..self.rl.clone() }.goal(1.0, start)
    }
}

/// Who moves groups of ops between devices in the free search, from the cut and the folded layers on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Mover {
    /// Simulated annealing: groups, devices and kinds of moves are drawn by fixed odds.
    #[default]
    Annealing,
    /// The same under moves that a policy proposes, which learns on the program at hand.
    Learned,
    /// Nobody: the better of the cut and the folded layers is the answer.
    None,
}

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

/// Refuses what makes no sense.
pub(crate) fn check(program: &Program<'_>, options: &Options) -> Result<(), Error> {
    let Program { graph, costs, cluster } = *program;
    let devices = cluster.devices.len();
    let ops = graph.planned().count();
    if devices == 0 {
        return Err(Error::NoDevice);
    }
    if ops == 0 {
        return Err(Error::NoOps { function: graph.name.clone() });
    }
    if options.use_all_devices && devices > ops {
        return Err(Error::MoreDevicesThanOps { devices, ops });
    }
    if costs.seconds.len() != devices || costs.seconds.iter().any(|row| row.len() != graph.ops.len()) {
        return Err(Error::Shape(format!(
            "costs must name {devices} devices and {} ops each",
            graph.ops.len()
        )));
    }
    for (device, row) in costs.seconds.iter().enumerate() {
        if let Some(op) = row.iter().position(|seconds| !(seconds.is_finite() && *seconds >= 0.0)) {
            return Err(Error::Shape(format!(
                "op {op} ('{}') costs {} s on device {device}: costs are finite and not negative",
                graph.ops[op].name, row[op]
            )));
        }
    }
    for link in cluster.links.iter().map(|(_, _, link)| link).chain([&cluster.default_link]) {
        let bandwidth_fits = link.bytes_per_second > 0.0 && !link.bytes_per_second.is_nan();
        if devices > 1 && !(bandwidth_fits && link.latency_seconds.is_finite() && link.latency_seconds >= 0.0)
        {
            return Err(Error::Shape(format!(
                "a link has a bandwidth of {} B/s and a latency of {} s",
                link.bytes_per_second, link.latency_seconds
            )));
        }
    }
    if let Some(caps) = &options.caps
        && caps.len() != devices
    {
        return Err(Error::Shape(format!("{} caps for {devices} devices", caps.len())));
    }
    if let Some(start) = &options.start
        && (start.len() != graph.ops.len() || start.iter().any(|device| device.0 >= devices))
    {
        return Err(Error::Shape("the given partition does not fit the program and the cluster".into()));
    }
    for (id, op) in OpId::of(&graph.ops) {
        if let Some(device) = op.rules.device
            && device.0 >= devices
            && op.role == OpRole::Compute
        {
            return Err(Error::Rule { op: id, name: op.name.clone(), device, last: DeviceId(devices - 1) });
        }
    }
    Ok(())
}
