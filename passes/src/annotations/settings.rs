//! What gives positions, costs and times of a plan their meaning: the `settings` of `ballast.plan`, written when a program is
//! planned and read by whatever works on the plan afterwards.

use ballast_core::device::DeviceId;
use ballast_core::graph::OpId;
use ballast_core::pipeline::{Schedule, ScheduleError, Spec};
use ballast_core::plan::Plan;
use ballast_core::units::Bytes;
use ballast_dialects::attributes as ir;
use ballast_dialects::passes::{
    CapCounts, Counting, FusionModel, Granularity, HeapGaps, PartitionMethod, PartitionOrder, Ranges as _,
    Refinement, RematOptions,
};
use melior::Context;
use melior::ir::attribute::{DictionaryAttribute, StringAttribute};
use melior::ir::{Attribute, Identifier};

/// The settings a plan was made with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlanSettings {
    /// The cap asked for, as the option has it.
    pub(crate) cap: Option<String>,
    /// What was asked of devices, where the cap is a share of what another placement needs; by device, ascending.
    pub(crate) caps: Vec<(DeviceId, Bytes)>,
    /// What a cap counts.
    pub(crate) cap_counts: CapCounts,
    /// How operations are counted.
    pub(crate) count: Counting,
    /// Size of every dynamic dimension; 0: there are none.
    pub(crate) dynamic_dim: u64,
    /// Which values the back end stores.
    pub(crate) fusion: FusionModel,
    /// What is moved as one.
    pub(crate) granularity: Granularity,
    /// Ops that store their values so that a fusion falls into parts, ascending.
    pub(crate) held: Vec<OpId>,
    /// Room for gaps of the back end's heap.
    pub(crate) heap_gaps: HeapGaps,
    /// Ops computed in every fusion that reads them, however expensive they are, ascending.
    pub(crate) inside: Vec<OpId>,
    /// How the partition was found; none where somebody else made it.
    pub(crate) method: Option<PartitionMethod>,
    /// Order of the op sequence that was cut; none as above.
    pub(crate) order: Option<PartitionOrder>,
    /// Do transfers to the host run beside computation? None of a plan without memory plans.
    pub(crate) overlap: Option<bool>,
    /// Did somebody place an op? Where `pins` is empty, all of them, and they stay.
    pub(crate) placed_by_hand: bool,
    /// The ops that somebody bound to their devices, ascending; the others may move.
    pub(crate) pins: Vec<OpId>,
    /// The pipeline of micro-batches.
    pub(crate) pipeline: Option<Spec>,
    /// The first op of the backward pass of a pipeline: what told it may be gone when the plan is read, as locations are from printed
    /// programs.
    pub(crate) first_backward: Option<OpId>,
    /// Hash of the measured times, 16 hexadecimal digits.
    pub(crate) profile: Option<String>,
    /// Who moved ops after the cut, and does in every round.
    pub(crate) refine: Refinement,
    /// May first runs be in another order than the program's?
    pub(crate) reordered: bool,
    /// Must every device get an op?
    pub(crate) use_all_devices: bool,
    /// Bytes held while an op runs besides those that are predicted, as measured; by op, ascending.
    pub(crate) workspace: Vec<(OpId, Bytes)>,
}

/// What a plan without settings was made with.
impl Default for PlanSettings {
    fn default() -> Self {
        PlanSettings {
            cap: None,
            caps: Vec::new(),
            cap_counts: CapCounts::All,
            count: Counting::TwoMac,
            dynamic_dim: 0,
            fusion: FusionModel::None,
            granularity: Granularity::Op,
            held: Vec::new(),
            heap_gaps: HeapGaps::Room,
            inside: Vec::new(),
            method: None,
            order: None,
            overlap: None,
            placed_by_hand: true,
            pins: Vec::new(),
            pipeline: None,
            first_backward: None,
            profile: None,
            refine: Refinement::Annealing,
            reordered: false,
            use_all_devices: false,
            workspace: Vec::new(),
        }
    }
}

impl PlanSettings {
    /// The settings of a plan; the first that makes no sense is said besides, and as if it were not there.
    fn parse(plan: &ir::Plan<'_>) -> (Self, Option<String>) {
        let text =
            |key: &str| plan.settings.and_then(|settings| ballast_dialects::ir::string_entry(settings, key));
        let is = |key: &str, name: &str| text(key).as_deref() == Some(name);
        let op = |key: &str| text(key).and_then(|text| text.parse().ok().map(OpId));
        let default = Self::default();
        let mut refused = None;
        let mut refuse = |key: &str, text: String| {
            refused.get_or_insert_with(|| format!("{key} = {text:?} is none: plan the function again"));
        };
        let dynamic_dim = text("dynamic_dim").and_then(|text| {
            text.parse().ok().or_else(|| {
                refuse("dynamic_dim", text);
                None
            })
        });
        let count = text("count").and_then(|text| {
            Counting::of_name(&text).or_else(|| {
                refuse("count", text);
                None
            })
        });
        let pipeline = pipeline(&text);
        let settings = PlanSettings {
            cap: text("cap"),
            caps: text("caps").map(|text| pairs(&text, DeviceId)).unwrap_or_default(),
            cap_counts: text("cap_counts")
                .and_then(|name| CapCounts::of_name(&name))
                .unwrap_or(default.cap_counts),
            count: count.unwrap_or(default.count),
            dynamic_dim: dynamic_dim.unwrap_or(default.dynamic_dim),
            fusion: text("fusion").and_then(|name| FusionModel::of_name(&name)).unwrap_or(default.fusion),
            granularity: text("granularity")
                .and_then(|name| Granularity::of_name(&name))
                .unwrap_or(default.granularity),
            held: text("held").map(|text| ops(&text)).unwrap_or_default(),
            heap_gaps: text("heap_gaps")
                .and_then(|name| HeapGaps::of_name(&name))
                .unwrap_or(default.heap_gaps),
            inside: text("inside").map(|text| ops(&text)).unwrap_or_default(),
            method: text("method").and_then(|name| PartitionMethod::of_name(&name)),
            order: text("order").and_then(|name| PartitionOrder::of_name(&name)),
            overlap: text("overlap").map(|text| text == "true"),
            placed_by_hand: !is("pinned", "false"),
            pins: text("pins").map(|text| ops(&text)).unwrap_or_default(),
            pipeline: pipeline.clone().unwrap_or_default(),
            first_backward: op("first_backward"),
            profile: text("profile").filter(|profile| profile != "false"),
            refine: text("refine").and_then(|name| Refinement::of_name(&name)).unwrap_or(default.refine),
            reordered: is("reordered", "true"),
            use_all_devices: is("use_all_devices", "true"),
            workspace: text("workspace").map(|text| pairs(&text, OpId)).unwrap_or_default(),
        };
        (settings, refused.or(pipeline.err()))
    }

    /// The settings of a plan that is to be taken at its word.
    ///
    /// # Errors
    /// What is wrong with a setting.
    pub(crate) fn read(plan: &ir::Plan<'_>) -> Result<Self, String> {
        match Self::parse(plan) {
            (settings, None) => Ok(settings),
            (_, Some(refused)) => Err(format!("the settings of `ballast.plan`: {refused}")),
        }
    }

    /// The settings of a plan that is about to be made anew, or that has been checked: what makes no sense is left out.
    pub(crate) fn of(plan: &ir::Plan<'_>) -> Self {
        Self::parse(plan).0
    }

    /// See [`Graph::results_apart`](ballast_core::graph::Graph::results_apart).
    pub(crate) fn results_apart(&self) -> bool {
        self.reordered || self.pipeline.is_some()
    }

    /// As entry of `ballast.plan`, with what the plan came to besides.
    pub(crate) fn attribute<'c>(&self, context: &'c Context, plan: &Plan) -> Attribute<'c> {
        let mut entries = vec![
            ("cap_counts", self.cap_counts.name().to_owned()),
            ("count", self.count.name().to_owned()),
            ("dynamic_dim", self.dynamic_dim.to_string()),
            ("fusion", self.fusion.name().to_owned()),
            ("granularity", self.granularity.name().to_owned()),
            ("pinned", self.placed_by_hand.to_string()),
            ("placement", plan.placement.name().to_owned()),
            ("profile", self.profile.clone().unwrap_or_else(|| "false".to_owned())),
            ("step_seconds", plan.step_seconds.to_string()),
            ("use_all_devices", self.use_all_devices.to_string()),
        ];
        entries.extend(self.cap.clone().map(|cap| ("cap", cap)));
        entries.extend(self.method.map(|method| ("method", method.name().to_owned())));
        entries.extend(self.order.map(|order| ("order", order.name().to_owned())));
        entries.extend(self.overlap.map(|overlap| ("overlap", overlap.to_string())));
        for (name, ops) in [("held", &self.held), ("inside", &self.inside), ("pins", &self.pins)] {
            if !ops.is_empty() {
                let ops: Vec<String> = ops.iter().map(OpId::to_string).collect();
                entries.push((name, ops.join(",")));
            }
        }
        if !self.caps.is_empty() {
            entries.push(("caps", paired(&self.caps)));
        }
        if !self.workspace.is_empty() {
            entries.push(("workspace", paired(&self.workspace)));
        }
        if !matches!(self.refine, Refinement::Annealing) {
            entries.push(("refine", self.refine.name().to_owned()));
        }
        if self.reordered {
            entries.push(("reordered", "true".to_owned()));
        }
        if self.heap_gaps != HeapGaps::Room {
            entries.push(("heap_gaps", self.heap_gaps.name().to_owned()));
        }
        if let Some(spec) = &self.pipeline {
            entries
                .push(("first_backward", self.first_backward.map_or_else(String::new, |op| op.to_string())));
            entries.push(("micro_batches", spec.micro_batches.to_string()));
            entries.push(("schedule", spec.schedule.to_string()));
        }
        let entries: Vec<(Identifier<'c>, Attribute<'c>)> = entries
            .iter()
            .map(|(key, value)| (Identifier::new(context, key), StringAttribute::new(context, value).into()))
            .collect();
        DictionaryAttribute::new(context, &entries).into()
    }
}

/// Ops by number, as `number,number`; what is no number is left out.
fn ops(text: &str) -> Vec<OpId> {
    text.split(',').filter_map(|op| op.parse().ok().map(OpId)).collect()
}

/// Numbers and the bytes of each, as `number:bytes,number:bytes`; what is no such pair is left out.
fn pairs<Id>(text: &str, id: impl Fn(usize) -> Id) -> Vec<(Id, Bytes)> {
    let pair = |entry: &str| {
        let (number, bytes) = entry.split_once(':')?;
        Some((id(number.parse().ok()?), Bytes(bytes.parse().ok()?)))
    };
    text.split(',').filter_map(pair).collect()
}

fn paired<Id: std::fmt::Display>(pairs: &[(Id, Bytes)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(id, bytes)| format!("{id}:{}", bytes.0)).collect();
    pairs.join(",")
}

/// The pipeline that settings name; none where they name none.
fn pipeline(text: &impl Fn(&str) -> Option<String>) -> Result<Option<Spec>, String> {
    let Some(schedule) = text("schedule") else { return Ok(None) };
    let schedule = schedule.parse().map_err(|error: ScheduleError| error.to_string())?;
    if schedule == Schedule::Forward {
        return Err("schedule=forward is none of a training step".to_owned());
    }
    let text = text("micro_batches").unwrap_or_default();
    let micro_batches = text.parse().map_err(|_| format!("micro-batches={text}: not a number"))?;
    in_range(Spec { schedule, micro_batches }).map(Some)
}

/// The pipeline, where its counts are in the ranges that the options for them have.
///
/// # Errors
/// The count that is not, and its range.
fn in_range(spec: Spec) -> Result<Spec, String> {
    let mut options = RematOptions { micro_batches: spec.micro_batches as u64, ..RematOptions::default() };
    if let Schedule::Interleaved { chunks } = spec.schedule {
        options.stages_per_device = chunks as u64;
    }
    options.check_ranges().map(|()| spec)
}
