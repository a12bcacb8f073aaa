//! Which values the back end stores and what of arguments and results a cap counts: chosen by option when a program is planned,
//! kept in the settings of its plan, and taken from there whenever the plan is read again.

use std::borrow::Cow;

use ballast_core::fusion::{
    Fusion, FusionClass, FusionClasses, FusionKind, Group, fuse, fuse_with, made_of, write_over,
};
use ballast_core::graph::{Backing, BoundaryMemory, Graph, OpId, OpRole, TensorId};
use ballast_core::results::InResult;
use ballast_core::stored::StoredFile;
use ballast_core::units::Bytes;
use ballast_dialects::passes::{CapCounts, FusionModel, HeapGaps};

use crate::annotations::settings::PlanSettings;
use crate::backend::heap_room::{leave_room, leave_tables, stored_by_op};
use crate::backend::loops;
use crate::backend::xla::classes::{
    classes, cpu_classes, gpu_classes, is_barrier, is_reduction, writes_into_operand,
};
use crate::backend::xla::equal;
use crate::backend::xla::workspace::Workspace;
use crate::import::Imported;

/// The share of the largest stored value from which on it matters when a value is made.
const MATTERS: u64 = 8;

/// What a back end with a scheduler of its own would do before its turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Early {
    /// It copies single operands of the op as soon as they are there, or the op reads arguments alone and runs first of all.
    pub(crate) takes_operands: bool,
    /// The op's value is so large that it matters when it is made.
    pub(crate) fills_memory: bool,
    /// The same of where a result will be: its value lies there for a while, and where many such are made too early, beside it.
    pub(crate) fills_result: bool,
    /// It reads behind a barrier that the program's author put there, as `jax.checkpoint` does before what it computes again.
    pub(crate) repeats: bool,
    /// Stored values that it would compute once more for this op, and therefore keep what they are made of.
    pub(crate) computes_again: Vec<OpId>,
    /// Stored values that its library would take in with this op where no other op reads them, as where the others read what is made again. What the library lacks it would
    /// store in front instead: every padding of a sum of them in place of the sum.
    pub(crate) taken_alone: Vec<OpId>,
    /// What ops are made of that are computed inside this one's fusion and inside earlier ones: it would compute them once, and store them.
    pub(crate) made_once: Vec<Backing>,
    /// The ops that end those earlier fusions.
    pub(crate) made_in: Vec<OpId>,
}

/// Spread constants that are to be made where they are read; both lists ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpreadLate {
    /// Spread constants that were seen to be stored, for all that read them.
    stored: Vec<OpId>,
    /// Ops that write into a copy of what they read: XLA makes the copy of a constant before the first op of the program.
    writers: Vec<OpId>,
    /// Ops that a library of XLA's runs with what is fused into them: one spread that several of them read is stored, from the first op on.
    by_library: Vec<OpId>,
}

impl SpreadLate {
    /// Is `constant` to be made where `reader` reads it?
    pub(crate) fn is_for(&self, graph: &Graph, constant: OpId, reader: OpId) -> bool {
        self.stored.binary_search(&constant).is_ok()
            || ((self.waits_for_all(reader) || self.by_library.binary_search(&reader).is_ok())
                && is_spread_constant(graph, constant))
    }

    /// Would what is spread for `reader` be stored once its number is there, so that this has to wait for all that is read with it? Else it has to be
    /// another value than those that others read, and XLA fuses it into its only reader.
    pub(crate) fn has_to_wait(&self, constants: &[OpId], reader: OpId) -> bool {
        self.waits_for_all(reader)
            || constants.iter().any(|constant| self.stored.binary_search(constant).is_ok())
    }

    fn waits_for_all(&self, reader: OpId) -> bool {
        self.writers.binary_search(&reader).is_ok()
    }
}

/// Which values are stored, and what counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Storage {
    model: FusionModel,
    counts: CapCounts,
    /// Ops that store their values whatever reads them, ascending: a fusion too long for one device falls into parts there, and the back
    /// end was seen to store others. A spread constant among them is made where it is read.
    held: Vec<OpId>,
    /// Ops computed in every fusion that reads them, however expensive they are, ascending.
    inside: Vec<OpId>,
    /// Bytes the back end was seen to hold while an op runs, besides those that are predicted; by op, ascending.
    workspace: Vec<(OpId, Bytes)>,
    /// Room for gaps of the heap.
    gaps: HeapGaps,
}

impl Storage {
    /// What the options ask for: `auto` follows an earlier plan, else takes XLA's view of StableHLO programs.
    pub(crate) fn chosen(
        graph: &Graph,
        earlier: Option<&PlanSettings>,
        fusion: FusionModel,
        counts: CapCounts,
        gaps: HeapGaps,
    ) -> Self {
        let model = match (fusion, earlier) {
            (FusionModel::Auto, Some(earlier)) => earlier.fusion,
            (FusionModel::Auto, None) if is_stablehlo(graph) => FusionModel::Xla,
            (FusionModel::Auto, None) => FusionModel::None,
            (chosen, _) => chosen,
        };
        let earlier = earlier.filter(|earlier| earlier.fusion == model);
        let none = PlanSettings::default();
        let PlanSettings { held, inside, workspace, .. } = earlier.unwrap_or(&none).clone();
        Storage { model, counts, held, inside, workspace, gaps }
    }

    /// The same, corrected by what was measured.
    pub(crate) fn corrected(&self, measured: &StoredFile) -> Self {
        let stored = measured.ops.iter().filter(|entry| entry.stored).map(|entry| entry.op);
        Storage { workspace: measured.workspace().collect(), ..self.holding(stored.collect()) }
    }

    /// The same with fusions in parts.
    pub(crate) fn holding(&self, mut held: Vec<OpId>) -> Self {
        held.extend(&self.held);
        held.sort_unstable();
        held.dedup();
        Storage { held, inside: self.inside.clone(), workspace: self.workspace.clone(), ..*self }
    }

    /// The same with further ops computed in every fusion that reads them.
    pub(crate) fn computing_inside(&self, mut inside: Vec<OpId>) -> Self {
        inside.extend(&self.inside);
        inside.sort_unstable();
        inside.dedup();
        Storage { inside, ..self.clone() }
    }

    /// What a plan was made with.
    pub(crate) fn of_plan(settings: &PlanSettings) -> Self {
        Storage {
            model: settings.fusion,
            counts: settings.cap_counts,
            held: settings.held.clone(),
            inside: settings.inside.clone(),
            workspace: settings.workspace.clone(),
            gaps: settings.heap_gaps,
        }
    }

    /// Rewrites the graph of a program as it was read; the groups of ops that become one.
    pub(crate) fn apply(&self, imported: &mut Imported<'_, '_>) -> Vec<Group> {
        let fusion = match self.model {
            FusionModel::Auto | FusionModel::None => Fusion::None,
            FusionModel::Xla | FusionModel::XlaCpuAsIs => Fusion::Xla,
            FusionModel::Spread | FusionModel::XlaCpu => Fusion::XlaHeld,
            FusionModel::XlaGpu => Fusion::XlaGpu,
        };
        if fusion != Fusion::None {
            equal::merge(imported);
        }
        let classes = (fusion != Fusion::None).then(|| self.classes(imported));
        let graph = &mut imported.graph;
        graph.ends = match (self.counts, fusion) {
            (CapCounts::Temp, _) => BoundaryMemory::NotCounted,
            (CapCounts::All, Fusion::None) => BoundaryMemory::ResultsWhenMade,
            (CapCounts::All, Fusion::Xla | Fusion::XlaHeld | Fusion::XlaGpu) => BoundaryMemory::Throughout,
        };
        if self.is_cpu() {
            for (id, held) in OpId::of(&imported.workspace_in_xla) {
                graph.ops[id].workspace = graph.ops[id].workspace.max(held.during);
                if held.early != Bytes::ZERO {
                    graph.early.push((id, held.early));
                }
            }
        }
        // Of a fusion, what its ops hold most. A plan that was edited may name ops that there are not: its checksum tells.
        for &(id, bytes) in &self.workspace {
            if let Some(op) = graph.ops.get_mut(id.0) {
                op.workspace = op.workspace + bytes;
            }
        }
        let groups = classes
            .as_ref()
            .map(|classes| fuse_with(graph, classes, fusion, &self.stored(classes), &self.inside))
            .unwrap_or_default();
        // Of XLA's CPU compiler it is measured what it holds.
        if let Some(classes) =
            classes.filter(|_| matches!(self.model, FusionModel::Xla | FusionModel::XlaGpu))
        {
            write_over(graph, (&imported.reads, &groups), &classes, &self.held);
        }
        if self.is_cpu() && self.gaps != HeapGaps::NotCounted {
            let stored = stored_by_op(graph);
            match self.gaps {
                HeapGaps::Room => leave_room(graph, &stored),
                HeapGaps::Placed | HeapGaps::NotCounted => graph.heap_gaps = Some(Bytes::ZERO),
            }
            // Nothing is rewritten in the program as it is.
            if self.model == FusionModel::XlaCpu {
                leave_tables(graph, &stored);
            }
        }
        let of_any_program = Storage { held: Vec::new(), inside: Vec::new(), workspace: Vec::new(), ..*self };
        loops::price(imported, &|body| of_any_program.apply(body), self.is_cpu());
        imported.graph.let_go_of_unread_results();
        groups
    }

    /// Does it count room for gaps of the heap?
    pub(crate) fn leaves_room(&self) -> bool {
        self.is_cpu() && self.gaps == HeapGaps::Room
    }

    /// Ops that store their values whatever reads them, ascending.
    fn stored(&self, classes: &FusionClasses) -> Cow<'_, [OpId]> {
        if self.model != FusionModel::Spread {
            return Cow::Borrowed(&self.held);
        }
        let is_spread = |class: &FusionClass| matches!(class.kind, FusionKind::Broadcast | FusionKind::Iota);
        let stored = OpId::of(&classes.ops)
            .filter(|&(id, class)| !is_spread(class) || self.held.binary_search(&id).is_ok());
        Cow::Owned(stored.map(|(id, _)| id).collect())
    }

    /// What XLA would fuse if it were left alone, of a program that has been read and not yet rewritten by [`Storage::apply`]; nothing where it is left alone.
    pub(crate) fn left_alone(&self, imported: &mut Imported<'_, '_>) -> Vec<Group> {
        let is_left_alone = match self.model {
            FusionModel::XlaCpu => false,
            FusionModel::Xla | FusionModel::XlaGpu => self.held.is_empty(),
            _ => true,
        };
        if is_left_alone {
            return Vec::new();
        }
        equal::merge(imported);
        let alone = if self.model == FusionModel::XlaGpu { Fusion::XlaGpu } else { Fusion::Xla };
        fuse(&mut imported.graph.clone(), &self.classes(imported), alone, &[])
    }

    /// What the ops are to the back end.
    fn classes(&self, imported: &Imported<'_, '_>) -> FusionClasses {
        match self.model {
            FusionModel::XlaCpu | FusionModel::XlaCpuAsIs => cpu_classes(imported),
            FusionModel::XlaGpu => gpu_classes(imported),
            FusionModel::Auto | FusionModel::None | FusionModel::Spread | FusionModel::Xla => {
                classes(imported)
            }
        }
    }

    /// By op: what the back end would do long before its turn, or besides; `left_alone` has what it would fuse, `groups` what the plan has as one. Select-and-scatter
    /// may: its first half takes less memory when it is done.
    pub(crate) fn early(
        &self,
        imported: &Imported<'_, '_>,
        groups: &[Group],
        left_alone: &[Group],
    ) -> Vec<Early> {
        let graph = &imported.graph;
        let repeats = OpId::first(graph.ops.len()).map(|id| reads_behind_barrier(graph, id));
        if !self.is_cpu() {
            let mut early: Vec<Early> =
                repeats.map(|repeats| Early { repeats, ..Early::default() }).collect();
            add_computed_again(graph, left_alone, &|id| self.held.binary_search(&id).is_ok(), &mut early);
            return early;
        }
        let in_results = graph.in_result_buffers();
        let stored = |id: OpId| graph.stored_bytes(id, &in_results).0.0;
        let largest = graph.planned().map(stored).max().unwrap_or(0);
        let lent = |id: OpId| {
            let outputs = graph.ops[id].outputs.iter();
            let lent = outputs.filter(|&&tensor| in_results[tensor] == Some(InResult::Before));
            lent.map(|&tensor| graph.tensors[tensor].bytes.0).sum::<u64>()
        };
        let matters = |bytes: u64| largest > 0 && bytes >= largest.div_ceil(MATTERS);
        let copies = |held: &Workspace| held.during != Bytes::ZERO && held.early == Bytes::ZERO;
        let mut early: Vec<Early> = OpId::of(&imported.workspace_in_xla)
            .zip(repeats)
            .map(|((id, held), repeats)| Early {
                repeats,
                takes_operands: copies(held) || graph.value_inputs(id).is_empty(),
                fills_memory: matters(stored(id)),
                fills_result: matters(lent(id)),
                ..Early::default()
            })
            .collect();
        add_computed_again(graph, left_alone, &|_| true, &mut early);
        add_taken_alone(graph, &self.classes(imported), groups, &mut early);
        for &id in &self.inside {
            let mut earlier: Vec<OpId> = Vec::new();
            for group in groups.iter().filter(|group| group.members.binary_search(&id).is_ok()) {
                let known = &mut early[group.root];
                // The first one computes it anyway.
                if !earlier.is_empty() {
                    known.made_once.extend(made_of(graph, &imported.reads, group, id));
                    known.made_in.extend(&earlier);
                }
                earlier.push(group.root);
            }
        }
        early
    }

    /// Spread constants that the back end stores, and would make before all else: they are to be made where they are read.
    pub(crate) fn spread_late(&self, graph: &Graph) -> SpreadLate {
        let made_again = |&&id: &&OpId| {
            graph.ops.get(id.0).is_some_and(|op| op.role == OpRole::Constant && !op.inputs.is_empty())
        };
        let stored = self.held.iter().filter(made_again).copied().collect();
        let ops = OpId::of(&graph.ops).filter(|_| self.model == FusionModel::XlaCpu);
        let (writers, others): (Vec<_>, Vec<_>) = ops.partition(|(_, op)| writes_into_operand(&op.name));
        let by_library = others.into_iter().map(|(id, _)| id).filter(|&id| is_run_by_library(graph, id));
        SpreadLate {
            stored,
            writers: writers.into_iter().map(|(id, _)| id).collect(),
            by_library: by_library.collect(),
        }
    }

    /// Is it XLA's CPU compiler?
    pub(crate) fn is_cpu(&self) -> bool {
        matches!(self.model, FusionModel::XlaCpu | FusionModel::XlaCpuAsIs)
    }

    /// Ops that store their values besides those that do anyway, ascending.
    pub(crate) fn held(&self) -> &[OpId] {
        &self.held
    }

    /// The room for gaps of the heap.
    pub(crate) fn gaps(&self) -> HeapGaps {
        self.gaps
    }

    /// The fusion model.
    pub(crate) fn model(&self) -> FusionModel {
        self.model
    }

    /// What a cap counts.
    pub(crate) fn counts(&self) -> CapCounts {
        self.counts
    }

    /// As settings of a plan.
    pub(crate) fn settings(&self) -> PlanSettings {
        let Storage { model, counts, held, inside, workspace, gaps } = self.clone();
        PlanSettings {
            fusion: model,
            cap_counts: counts,
            held,
            inside,
            workspace,
            heap_gaps: gaps,
            ..PlanSettings::default()
        }
    }
}

/// Is it made of one constant alone, as one number spread over more elements is?
fn is_spread_constant(graph: &Graph, id: OpId) -> bool {
    let is_constant = |op: OpId| graph.ops[op].role == OpRole::Constant;
    let is_number = |op: OpId| is_constant(op) && graph.ops[op].inputs.is_empty();
    // What a reduction begins with is spread over nothing, and behind a barrier XLA would not know it.
    let is_larger = |base: TensorId| {
        graph.ops[id].outputs.iter().any(|&made| graph.tensors[made].bytes > graph.tensors[base].bytes)
    };
    is_constant(id)
        && matches!(*graph.ops[id].inputs, [base] if is_larger(base) && graph.tensors[base].producer.is_some_and(is_number))
}

/// May XLA's library run the op, with the elementwise ops fused into it or as one behind a reduction?
fn is_run_by_library(graph: &Graph, id: OpId) -> bool {
    let reduces = |id: OpId| is_reduction(&graph.ops[id].name);
    reduces(id) || graph.value_inputs(id).into_iter().any(reduces)
}

/// Does the op read a value or an argument through a barrier?
fn reads_behind_barrier(graph: &Graph, id: OpId) -> bool {
    let op = &graph.ops[id];
    op.role == OpRole::Compute
        && op.inputs.iter().any(|&tensor| {
            let views = std::iter::successors(graph.tensors[tensor].producer, |&view| {
                graph.ops[view].inputs.first().and_then(|&base| graph.tensors[base].producer)
            });
            let mut views = views.map(|view| &graph.ops[view]).take_while(|op| op.role == OpRole::View);
            views.any(|op| is_barrier(&op.name))
        })
}

fn is_stablehlo(graph: &Graph) -> bool {
    graph.ops.iter().any(|op| op.name.starts_with("stablehlo."))
}

/// Adds to reductions that a library runs the values it would take in alone, and with them what it lacks.
fn add_taken_alone(graph: &Graph, classes: &FusionClasses, groups: &[Group], early: &mut [Early]) {
    let Some(library) = &classes.library else { return };
    let lacks = |&id: &OpId| {
        let kind = classes.ops[id].kind;
        !library[id] && kind != FusionKind::Iota
            || matches!(kind, FusionKind::Movement | FusionKind::Assembly)
    };
    let is_split = |value: OpId| {
        let group = groups.iter().find(|group| group.root == value);
        library[value]
            && classes.ops[value].kind == FusionKind::Elementwise
            && group.is_some_and(|group| group.members.iter().any(lacks))
    };
    for id in graph.planned().filter(|&id| library[id] && is_reduction(&graph.ops[id].name)) {
        early[id.0].taken_alone =
            graph.value_inputs(id).into_iter().filter(|&value| is_split(value)).collect();
    }
}

/// Adds, of the values that `is_stored` names, those that ops the plan stores would compute again if the back end were left alone: any op of a group, as the parts of a long
/// sum, would take in what the plan stores of it before.
fn add_computed_again(
    graph: &Graph,
    left_alone: &[Group],
    is_stored: &dyn Fn(OpId) -> bool,
    early: &mut [Early],
) {
    for group in left_alone {
        for &id in group.members.iter().chain([&group.root]) {
            let stored = graph.ops[id].role == OpRole::Compute;
            let read = if stored { graph.value_inputs(id) } else { Vec::new() };
            let is_member = |input: &OpId| group.members.binary_search(input).is_ok();
            let again = read.into_iter().filter(|input| is_member(input) && is_stored(*input));
            early[id.0].computes_again.extend(again);
        }
    }
    for op in early {
        op.computes_again.sort_unstable();
        op.computes_again.dedup();
    }
}

#[cfg(test)]
mod tests {
    use melior::ir::Module;

    use super::*;
    use crate::import::tests::context;
    use crate::import::{ImportOptions, read};

    #[test]
    fn what_lies_where_a_result_will_be_matters_when_it_is_made() {
        let context = context();
        let product = |name: &str, left: &str, right: &str, types: [&str; 3]| {
            let [left_type, right_type, made] = types;
            format!(
                r#"%{name} = "stablehlo.dot_general"(%{left}, %{right}) <{{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}}> : ({left_type}, {right_type}) -> {made}
                "#
            )
        };
        let (square, wide, high) = ("tensor<4x4xf32>", "tensor<4x16xf32>", "tensor<16x4xf32>");
        let text = format!(
            r#"func.func @f(%a: {square}, %w: {wide}, %h: {high}) -> ({square}, {square}) {{
                {}{}{}
                %sum = "stablehlo.add"(%part, %a) : ({square}, {square}) -> {square}
                return %other, %sum : {square}, {square}
            }}"#,
            product("large", "a", "w", [square, wide, wide]),
            product("other", "large", "h", [wide, high, square]),
            product("part", "a", "a", [square; 3]),
        );
        let module = Module::parse(&context, &text).expect("the test's program parses");
        let mut imported =
            read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
        let (model, counts) = (FusionModel::XlaCpu, CapCounts::Temp);
        let storage = Storage::chosen(&imported.graph, None, model, counts, HeapGaps::NotCounted);
        let groups = storage.apply(&mut imported);
        let early = storage.early(&imported, &groups, &[]);
        let fills: Vec<_> = early.iter().map(|early| (early.fills_memory, early.fills_result)).collect();
        // The part of the sum lies in the buffer of the sum, which is a result, as the other product is.
        assert_eq!(fills, [(true, false), (false, false), (false, true), (false, false)]);
    }

    #[test]
    fn a_loop_holds_what_its_body_fills_before_it_runs() {
        let context = context();
        let text = r#"func.func @f(%x: tensor<16xf32>, %y: tensor<4xf32>) -> tensor<16xf32> {
            %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
            %done:2 = "stablehlo.while"(%zero, %x) ({
            ^bb0(%i: tensor<i32>, %v: tensor<16xf32>):
              %most = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}> : () -> tensor<i32>
              %more = "stablehlo.compare"(%i, %most) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
              "stablehlo.return"(%more) : (tensor<i1>) -> ()
            }, {
            ^bb0(%i: tensor<i32>, %v: tensor<16xf32>):
              %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
              %none = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
              %next = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
              %g = "stablehlo.select_and_scatter"(%v, %y, %none) <{window_dimensions = array<i64: 4>, window_strides = array<i64: 4>}> ({
              ^bb1(%a: tensor<f32>, %b: tensor<f32>):
                %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
                "stablehlo.return"(%c) : (tensor<i1>) -> ()
              }, {
              ^bb1(%a: tensor<f32>, %b: tensor<f32>):
                %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
                "stablehlo.return"(%c) : (tensor<f32>) -> ()
              }) : (tensor<16xf32>, tensor<4xf32>, tensor<f32>) -> tensor<16xf32>
              "stablehlo.return"(%next, %g) : (tensor<i32>, tensor<16xf32>) -> ()
            }) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>)
            return %done#1 : tensor<16xf32>
        }"#;
        let held_by = |text: &str, model, gaps| {
            let module = Module::parse(&context, text).expect("the test's program parses");
            let mut imported =
                read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
            Storage::chosen(&imported.graph, None, model, CapCounts::Temp, gaps).apply(&mut imported);
            let of_loop = imported.graph.ops.iter().find(|op| op.name == "stablehlo.while");
            of_loop.expect("it has a loop").workspace
        };
        let held = |model, gaps| held_by(text, model, gaps);
        // 16 values; with XLA, 16 indices and 16 zeros from before the first op, and 4 indices and two copies of 4 values while the op runs.
        let without = held(FusionModel::Xla, HeapGaps::NotCounted);
        let with = held(FusionModel::XlaCpuAsIs, HeapGaps::NotCounted);
        assert_eq!(with.0, without.0 + 128 + 48);
        // The loop's own results are as large as what is inside: there is room for those already.
        assert_eq!(held(FusionModel::XlaCpuAsIs, HeapGaps::Room), with);
        // Not for 64 that are made inside alone; the number of the iteration has its own.
        let wide = r#"%w = "some.wide"(%v) : (tensor<16xf32>) -> tensor<64xf32>
            %g = "some.narrow"(%w) : (tensor<64xf32>) -> tensor<16xf32>
            %unused = "stablehlo.select_and_scatter""#;
        let text = text.replace(r#"%g = "stablehlo.select_and_scatter""#, wide);
        let [room, none] = [HeapGaps::Room, HeapGaps::NotCounted];
        let with_room = held_by(&text, FusionModel::XlaCpuAsIs, room);
        assert_eq!(with_room.0 - held_by(&text, FusionModel::XlaCpuAsIs, none).0, 256 - 4);
    }
}
