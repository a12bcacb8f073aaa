//! Which values the back end stores and what of arguments and results a cap counts: chosen by option when a program is planned,
//! kept in the settings of its plan, and taken from there whenever the plan is read again.

use ballast_core::fusion::{Fusion, Group, fuse};
use ballast_core::graph::{Ends, Graph};
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
    pub(crate) fusion: Fusion,
    pub(crate) counts: CapCounts,
}

impl Storage {
    /// What the options ask for: `auto` follows an earlier plan, else takes XLA's view of StableHLO programs.
    pub(crate) fn chosen(
        graph: &Graph,
        earlier: Option<&ir::Plan<'_>>,
        fusion: FusionModel,
        counts: CapCounts,
    ) -> Self {
        let fusion = match (fusion, earlier) {
            (FusionModel::None, _) => Fusion::None,
            (FusionModel::Xla, _) => Fusion::Xla,
            (FusionModel::Auto, Some(plan)) => Self::of_plan(plan).fusion,
            (FusionModel::Auto, None) if is_stablehlo(graph) => Fusion::Xla,
            (FusionModel::Auto, None) => Fusion::None,
        };
        Storage { fusion, counts }
    }

    /// What a plan was made with.
    pub(crate) fn of_plan(plan: &ir::Plan<'_>) -> Self {
        let is = |key, name: &str| annotations::setting(plan, key).as_deref() == Some(name);
        Storage {
            fusion: if is(FUSION, name(Fusion::Xla)) { Fusion::Xla } else { Fusion::None },
            counts: if is(CAP_COUNTS, CapCounts::Temp.name()) { CapCounts::Temp } else { CapCounts::All },
        }
    }

    /// Rewrites the graph of a program as it was read; the groups of ops that become one.
    pub(crate) fn apply(self, imported: &mut Imported<'_, '_>) -> Vec<Group> {
        let graph = &mut imported.graph;
        graph.ends = match (self.counts, self.fusion) {
            (CapCounts::Temp, _) => Ends::Left,
            (CapCounts::All, Fusion::None) => Ends::AsMade,
            (CapCounts::All, Fusion::Xla) => Ends::Throughout,
        };
        if self.fusion == Fusion::Xla {
            for (id, beside) in imported.beside_in_xla.iter().enumerate() {
                graph.ops[id].workspace = graph.ops[id].workspace.max(beside.workspace);
                if beside.early != Bytes::ZERO {
                    graph.early.push((id, beside.early));
                }
            }
        }
        fuse(graph, self.fusion)
    }

    /// The option's name of the fusion model.
    pub(crate) fn fusion_name(self) -> &'static str {
        name(self.fusion)
    }

    /// As settings of a plan.
    pub(crate) fn settings(self) -> [(&'static str, String); 2] {
        [(CAP_COUNTS, self.counts.name().to_owned()), (FUSION, name(self.fusion).to_owned())]
    }
}

/// The option's name of a fusion model.
fn name(fusion: Fusion) -> &'static str {
    match fusion {
        Fusion::None => FusionModel::None.name(),
        Fusion::Xla => FusionModel::Xla.name(),
    }
}

fn is_stablehlo(graph: &Graph) -> bool {
    graph.ops.iter().any(|op| op.name.starts_with("stablehlo."))
}
