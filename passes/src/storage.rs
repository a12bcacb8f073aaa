//! Which values the back end stores and what of arguments and results a cap counts: chosen by option when a program is planned,
//! kept in the settings of its plan, and taken from there whenever the plan is read again.

use ballast_core::fusion::{Fusion, Group, fuse};
use ballast_core::graph::{Ends, Graph, OpId};
use ballast_core::units::Bytes;
use ballast_dialects::attributes as ir;
use ballast_dialects::passes::{CapCounts, FusionModel};

use crate::annotations;
use crate::import::Imported;

/// Key of the fusion model in the settings of a plan.
const FUSION: &str = "fusion";
/// Key of what a cap counts.
const CAP_COUNTS: &str = "cap_counts";

/// Which values are stored, and what counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Storage {
    model: FusionModel,
    counts: CapCounts,
}

impl Storage {
    /// What the options ask for: `auto` follows an earlier plan, else takes XLA's view of StableHLO programs.
    pub(crate) fn chosen(
        graph: &Graph,
        earlier: Option<&ir::Plan<'_>>,
        fusion: FusionModel,
        counts: CapCounts,
    ) -> Self {
        let model = match (fusion, earlier) {
            (FusionModel::Auto, Some(plan)) => Self::of_plan(plan).model,
            (FusionModel::Auto, None) if is_stablehlo(graph) => FusionModel::Xla,
            (FusionModel::Auto, None) => FusionModel::None,
            (chosen, _) => chosen,
        };
        Storage { model, counts }
    }

    /// What a plan was made with.
    pub(crate) fn of_plan(plan: &ir::Plan<'_>) -> Self {
        let is = |key, name: &str| annotations::setting(plan, key).as_deref() == Some(name);
        let model =
            [FusionModel::Xla, FusionModel::XlaCpu].into_iter().find(|model| is(FUSION, model.name()));
        Storage {
            model: model.unwrap_or(FusionModel::None),
            counts: if is(CAP_COUNTS, CapCounts::Temp.name()) { CapCounts::Temp } else { CapCounts::All },
        }
    }

    /// Rewrites the graph of a program as it was read; the groups of ops that become one.
    pub(crate) fn apply(self, imported: &mut Imported<'_, '_>) -> Vec<Group> {
        let fusion = match self.model {
            FusionModel::Auto | FusionModel::None => Fusion::None,
            FusionModel::Xla | FusionModel::XlaCpu => Fusion::Xla,
        };
        if fusion == Fusion::Xla {
            imported.merge_equal();
        }
        let graph = &mut imported.graph;
        graph.ends = match (self.counts, fusion) {
            (CapCounts::Temp, _) => Ends::Left,
            (CapCounts::All, Fusion::None) => Ends::AsMade,
            (CapCounts::All, Fusion::Xla) => Ends::Throughout,
        };
        if self.model == FusionModel::XlaCpu {
            for (id, beside) in imported.beside_in_xla.iter().enumerate() {
                graph.ops[id].workspace = graph.ops[id].workspace.max(beside.workspace);
                if beside.early != Bytes::ZERO {
                    graph.early.push((id, beside.early));
                }
            }
        }
        let groups = fuse(graph, fusion);
        if self.model == FusionModel::XlaCpu {
            leave_room(graph);
        }
        groups
    }

    /// By op: would the back end start on it long before its turn? Copies of single operands are made as soon as these are there,
    /// and what reads arguments alone runs first of all. Select-and-scatter may: its first half takes less memory when it is done.
    pub(crate) fn starts_early(self, imported: &Imported<'_, '_>) -> Vec<bool> {
        let graph = &imported.graph;
        let copies = imported
            .beside_in_xla
            .iter()
            .map(|beside| beside.workspace != Bytes::ZERO && beside.early == Bytes::ZERO);
        copies
            .enumerate()
            .map(|(id, copies)| {
                self.model == FusionModel::XlaCpu && (copies || graph.value_inputs(id).is_empty())
            })
            .collect()
    }

    /// The option's name of the fusion model.
    pub(crate) fn fusion_name(self) -> &'static str {
        self.model.name()
    }

    /// As settings of a plan.
    pub(crate) fn settings(self) -> [(&'static str, String); 2] {
        [(CAP_COUNTS, self.counts.name().to_owned()), (FUSION, self.model.name().to_owned())]
    }
}

/// Room for one more of the largest value, wherever it is made: XLA's heap has gaps between buffers, and its scheduler may run an op
/// earlier than the plan does. Measured memory of rewritten programs lies up to that much above what the plan holds.
fn leave_room(graph: &mut Graph) {
    let in_results = graph.in_result_buffers();
    let stored = |id: OpId| graph.stored_bytes(id, &in_results).0;
    // Of equally large ones the first.
    let largest = graph.planned().min_by_key(|&id| (std::cmp::Reverse(stored(id)), id));
    if let Some(id) = largest {
        let bytes = stored(id);
        graph.early.push((id, bytes));
    }
}

fn is_stablehlo(graph: &Graph) -> bool {
    graph.ops.iter().any(|op| op.name.starts_with("stablehlo."))
}
