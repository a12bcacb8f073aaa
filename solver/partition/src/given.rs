//! Placements that come from elsewhere: a device for every op, in a file.

use ballast_core::device::DeviceId;
use ballast_core::graph::{Graph, OpId};
use ballast_core::limits::{Deadline, StopReason};
use ballast_core::plan::{OpPlan, PLAN_VERSION, Plan};
use ballast_core::program::Program;
use ballast_core::report::{Bound, BoundClass, Report, SearchStats};
use ballast_core::stage::settle_views;
use ballast_dag::spreading::Budget;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::free::by_crossings;
use crate::judge::Judge;
use crate::loads::Links;
use crate::options::{Options, check};
use crate::plan::{BOUND_STEPS, Partition, any_assignment};
use crate::sequence::{Sequence, sequence_order};

/// Version of the file.
const VERSION: u32 = 1;

/// Ops that are one or many, as `loops` has it.
const LOOPS: [&str; 2] = ["scf.for", "stablehlo.while"];
/// What a placement of other ops was made for, and what to do where the program is the same.
const OTHER_FUSIONS: &str = "it was made for another program, or for this one with other ops fused. Give `fusion` as it was given there; where \
                     `--remat` divided fused ops, as its remark 'FusionSplit' says, give the program as it came from there, whose \
                     `ballast.plan` says which";

/// The device of every planned op of a program, in program order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    version: u32,
    ops: Vec<GivenOp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenOp {
    /// Its name, so that a placement of another program shows.
    op: String,
    device: DeviceId,
}

/// Why a placement cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct GivenError {
    /// The op, where there is one to blame.
    pub op: Option<OpId>,
    /// What is wrong.
    pub reason: String,
}

impl Given {
    /// Of a placement of all ops.
    #[must_use]
    pub fn new(graph: &Graph, device_of: &[DeviceId]) -> Self {
        let of = |op: OpId| GivenOp { op: graph.ops[op].name.clone(), device: device_of[op] };
        Given { version: VERSION, ops: graph.planned().map(of).collect() }
    }

    /// Of a plan: the device of every op in it, whatever its memory plans are.
    fn of_plan(plan: Plan) -> Self {
        let of = |op: OpPlan| GivenOp { op: op.name, device: op.device };
        Given { version: VERSION, ops: plan.ops.into_iter().map(of).collect() }
    }

    /// Reads a file's text: of a placement, or of a plan, which has one.
    ///
    /// # Errors
    /// Text that is neither.
    pub fn parse(text: &str) -> Result<Self, GivenError> {
        let refuse = |reason: String| Err(GivenError { op: None, reason });
        if let Ok(plan) = serde_json::from_str::<Plan>(text) {
            return match plan.version {
                PLAN_VERSION => Ok(Given::of_plan(plan)),
                other => {
                    refuse(format!("a plan of version {other}: this program reads version {PLAN_VERSION}"))
                }
            };
        }
        match serde_json::from_str::<Given>(text) {
            Ok(given) if given.version == VERSION => Ok(given),
            Ok(given) => refuse(format!("version {}: this program reads version {VERSION}", given.version)),
            Err(error) => refuse(format!("not a placement: {error}")),
        }
    }

    /// The device of every op of a program; views and constants follow their readers.
    ///
    /// # Errors
    /// A placement of another program, a device that is not there, an op that a rule of the program binds to another device.
    pub fn devices(&self, graph: &Graph, devices: usize) -> Result<Vec<DeviceId>, GivenError> {
        let refuse = |op: Option<OpId>, reason: String| Err(GivenError { op, reason });
        let planned: Vec<OpId> = graph.planned().collect();
        if planned.len() != self.ops.len() {
            let text = format!(
                "it places {} ops and '{}' has {}: {}",
                self.ops.len(),
                graph.name,
                planned.len(),
                self.made_for(graph)
            );
            return refuse(None, text);
        }
        let mut device_of = vec![DeviceId(0); graph.ops.len()];
        for (number, (&op, given)) in planned.iter().zip(&self.ops).enumerate() {
            if graph.ops[op].name != given.op {
                let name = &graph.ops[op].name;
                let made_for = self.made_for(graph);
                let text = format!("its op {number} is a '{}' and here a '{name}': {made_for}", given.op);
                return refuse(Some(op), text);
            }
            if given.device.0 >= devices {
                let text =
                    format!("its op {number} runs on device {}, and there are {devices}", given.device);
                return refuse(Some(op), text);
            }
            if let Some(rule) = graph.ops[op].rules.device
                && rule != given.device
            {
                let text = format!(
                    "its op {number} runs on device {}, and the program binds it to {rule}",
                    given.device
                );
                return refuse(Some(op), text);
            }
            device_of[op] = given.device;
        }
        settle_views(graph, &mut device_of);
        Ok(device_of)
    }

    /// What a placement of other ops was made for, and the option to look at.
    fn made_for(&self, graph: &Graph) -> String {
        let is_loop = |name: &str| LOOPS.contains(&name);
        let there = self.ops.iter().filter(|op| is_loop(&op.op)).count();
        let here = graph.planned().filter(|&op| is_loop(&graph.ops[op].name)).count();
        if there == here {
            return OTHER_FUSIONS.to_owned();
        }
        format!(
            "it was made for another program, or for this one with other loops opened: it has {there} that are one op each, and here are {here}. \
             Give `loops` as it was given there"
        )
    }
}

/// A placement as it is, judged: nothing is searched.
///
/// # Errors
/// As [`plan`](crate::plan()), and for a device that is not there.
pub fn plan_given(
    program: &Program<'_>,
    options: &Options,
    device_of: Vec<DeviceId>,
) -> Result<Partition, Error> {
    let Program { graph, costs, cluster } = *program;
    check(program, options)?;
    if device_of.len() != graph.ops.len() || device_of.iter().any(|d| d.0 >= cluster.devices.len()) {
        return Err(Error::Shape("the given partition does not fit the program and the cluster".into()));
    }
    let deadline = Deadline::start(&options.limits);
    let judged = Judge::new(program, options).judge(device_of);
    let ops = Sequence::of_ops(graph, costs, sequence_order(graph, options.order));
    let value = judged.balance.tmax_seconds;
    let floor = any_assignment(graph, costs, &ops, &Links::new(cluster));
    let of = |place: usize| judged.device_of[ops.ops[place]];
    Ok(Partition {
        refined: None,
        cuts: (1..ops.len()).filter(|&place| of(place) != of(place - 1)).collect(),
        report: Report::new(
            value,
            floor,
            SearchStats {
                method: "given".into(),
                stop_reason: StopReason::Finished,
                seconds: deadline.elapsed_seconds(),
                work: 0,
                seed: options.limits.seed,
            },
        )?,
        notes: judged.note().into_iter().collect(),
        device_of: judged.device_of,
        sequence: ops.ops,
        balance: judged.balance,
        bounds: vec![floor],
        proposed: None,
    })
}

/// A bound for any assignment of a program that has this placement: what must cross is counted, within the limits of the options.
///
/// # Errors
/// As [`plan_given`].
pub fn bound_of_given(
    program: &Program<'_>,
    options: &Options,
    device_of: Vec<DeviceId>,
) -> Result<Bound, Error> {
    let clock = Deadline::start(&options.limits);
    let given = plan_given(program, options, device_of)?;
    let Program { graph, costs, cluster } = *program;
    let ops = Sequence::of_ops(graph, costs, sequence_order(graph, options.order));
    let steps = options.limits.work_limit.unwrap_or(BOUND_STEPS);
    let budget = Budget { steps, clock: &clock, seed: options.limits.seed };
    let proof = by_crossings(&ops, &Links::new(cluster), given.report.value, &budget);
    Ok(Bound::proved(proof.bound, BoundClass::AnyAssignment).raised_to(given.report.bound()))
}
