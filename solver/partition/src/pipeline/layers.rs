//! The layer view of a training step: which backward ops belong to which piece of the forward pass.
//!
//! A pipeline stage runs a run of forward ops and, later, the backward ops of the same layers. Cutting the op sequence
//! as it stands would put the two on different devices. This view splits the planned ops at one place of program
//! order into forward and backward pass, cuts the forward ops into *pieces*, and anchors every backward op at a
//! piece: a partition of the pieces into runs is then a pipeline. Three rules make it one:
//!
//! - forward values flow to the same or a later piece (pieces are runs of program order);
//! - backward values flow to the same or an earlier piece: an op is anchored no later than any backward op it reads.
//!
//! A forward op that makes another form of one argument, such as the cast of a weight that mixed precision writes before the first layer, goes to the first op that
//! reads it beside something else.
//! - an [update](updates) may wait for gradients of all layers, such as for the norm over them, as it can run when all of them are there: it is free of the
//!   second rule, and goes to the layer whose gradient it reads beside what was computed from several layers, or else to that of its argument.
//!
//! Within the second rule an op goes to the last forward op that reads the same argument (the weight of its layer), else
//! to the last one that makes or reads the same forward value. An op that shares nothing stays with what it reads.

use ballast_core::cost::Costs;
use ballast_core::device::DeviceId;
use ballast_core::graph::{Graph, OpId, TensorId};
use ballast_core::pipeline::{FlowError, first_backward, updates};
use ballast_core::stage::settle_views;

use crate::sequence::Granularity;

/// A training step as a sequence of pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// First op of the backward pass: planned ops before it in program order are the forward pass.
    pub first_backward: OpId,
    /// The piece of every planned op; those of views and constants are not read.
    pub piece_of: Vec<usize>,
    /// Number of pieces.
    pub pieces: usize,
}

/// Why a program has no layer view with so many stages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayersError {
    /// It is no pipeline of training steps.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// More stages than pieces.
    #[error(
        "{stages} stages for {pieces} pieces of the forward pass: every stage needs at least one; ask for fewer \
         devices or a finer granularity"
    )]
    TooFewPieces {
        /// Stages asked for.
        stages: usize,
        /// Pieces there are.
        pieces: usize,
    },
    /// A rule that binds an op to a device.
    #[error(
        "op {op} ('{name}') is bound to a device: a pipeline schedule places ops by itself; remove the rule"
    )]
    Pinned {
        /// The op.
        op: OpId,
        /// Its name.
        name: String,
    },
}

impl LayersError {
    /// The op concerned, where there is one.
    #[must_use]
    pub fn op(&self) -> Option<OpId> {
        match self {
            LayersError::Flow(error) => error.op(),
            LayersError::Pinned { op, .. } => Some(*op),
            LayersError::TooFewPieces { .. } => None,
        }
    }
}

/// Splits a training step into pieces: one per forward op, or per layer; where these are more than `most_pieces`,
/// neighbours are joined to about as many pieces of equal times. Times are those of the first device.
///
/// # Errors
/// As [`first_backward`], and where an op is bound to a device.
pub fn layers(
    graph: &Graph,
    costs: &Costs,
    granularity: Granularity,
    most_pieces: usize,
) -> Result<Layers, LayersError> {
    let first_backward = first_backward(graph)?;
    if let Some(op) = graph.planned().find(|&op| graph.ops[op].rules.device.is_some()) {
        return Err(LayersError::Pinned { op, name: graph.ops[op].name.clone() });
    }
    let forward: Vec<OpId> = graph.planned().take_while(|&op| op < first_backward).collect();
    let places = to_readers(graph, &forward);
    let anchor = anchors(graph, &forward, &places, first_backward);
    let mut opens: Vec<bool> =
        forward.iter().map(|&op| granularity == Granularity::Op || graph.ops[op].opens_layer).collect();
    opens[0] = true;
    // What stands before the first layer belongs to it.
    if granularity == Granularity::Layer
        && let Some(first) = (1..opens.len()).find(|&place| opens[place])
    {
        opens[first] = graph.ops[forward[0]].opens_layer;
    }
    // Nothing stands any more where an op stood that went to its reader.
    for (open, (place, &at)) in opens.iter_mut().zip(places.iter().enumerate()) {
        *open &= at == place;
    }
    opens[0] = true;
    if let Some(first) =
        places.iter().enumerate().position(|(place, &at)| at == place).filter(|&first| first > 0)
    {
        opens[first] = false;
    }
    join(graph, costs, &anchor, &mut opens, most_pieces.max(1));
    let mut piece = 0;
    let piece_at: Vec<usize> = opens
        .iter()
        .enumerate()
        .map(|(place, &opens)| {
            piece += usize::from(opens && place > 0);
            piece
        })
        .collect();
    let piece_of = anchor.iter().map(|&place| piece_at.get(place).copied().unwrap_or(0)).collect();
    Ok(Layers { first_backward, piece_of, pieces: piece + 1 })
}

/// Ops, one after the other, up to which what they make of one argument goes with what reads that.
const LONGEST_FORM: usize = 8;

/// Where every forward op is anchored, by place in `forward`: at its own place, or, where it makes a form of one argument, at that of its first forward reader that
/// reads something else, too.
fn to_readers(graph: &Graph, forward: &[OpId]) -> Vec<usize> {
    let mut form_of: Vec<Option<TensorId>> = vec![None; graph.ops.len()];
    for &op in forward {
        let values = graph.value_inputs(op).into_iter().map(|input| form_of[input]);
        let mut read = graph.argument_inputs(op).into_iter().map(Some).chain(values);
        let first = read.next().flatten();
        form_of[op] = first.filter(|_| read.all(|other| other == first));
    }
    let mut at: Vec<usize> = (0..forward.len()).collect();
    // By op: the place of its first reader, and how many forms there are on the way; none where no other value is read there.
    let mut first_reader: Vec<Option<(usize, usize)>> = vec![None; graph.ops.len()];
    for (place, &op) in forward.iter().enumerate().rev() {
        let reader = first_reader[op].filter(|&(_, forms)| forms < LONGEST_FORM);
        let goes = match (form_of[op], reader) {
            (None, _) => Some((place, 0)),
            (Some(_), Some((reader, forms))) => {
                at[place] = reader;
                Some((reader, forms + 1))
            }
            (Some(_), None) => None,
        };
        let Some(goes) = goes else { continue };
        for input in graph.value_inputs(op) {
            first_reader[input] = Some(first_reader[input].map_or(goes, |first| first.min(goes)));
        }
    }
    at
}

/// The forward op, by its place in `forward`, at which every planned op is anchored; forward ops at their `places`.
fn anchors(graph: &Graph, forward: &[OpId], places: &[usize], first_backward: OpId) -> Vec<usize> {
    let last = forward.len() - 1;
    let mut anchor = vec![0; graph.ops.len()];
    // Places of the forward ops that make or read a value, or read an argument; ascending.
    let mut of_value: Vec<Vec<usize>> = vec![Vec::new(); graph.ops.len()];
    let mut of_argument: Vec<Vec<usize>> = vec![Vec::new(); graph.tensors.len()];
    for (&place, &op) in places.iter().zip(forward) {
        anchor[op] = place;
        of_value[op].push(place);
        for input in graph.value_inputs(op) {
            of_value[input].push(place);
        }
        for argument in graph.argument_inputs(op) {
            of_argument[argument].push(place);
        }
    }
    of_value.iter_mut().chain(&mut of_argument).for_each(|places| places.sort_unstable());
    let at_most = |places: &[usize], upper: usize| match places.partition_point(|&place| place <= upper) {
        0 => None,
        count => Some(places[count - 1]),
    };
    // The last backward reader of every op without a backward input, filled while walking back.
    let backward: Vec<OpId> = graph.planned().filter(|&op| op >= first_backward).collect();
    let mut rootless = vec![false; graph.ops.len()];
    let update = updates(graph, first_backward);
    // Ops of the update that need gradients of several layers, and ops of the backward pass that need nothing of a layer, such as the learning rate.
    let (mut joint, mut of_no_layer) = (vec![false; graph.ops.len()], vec![false; graph.ops.len()]);
    for &op in &backward {
        let (behind, before): (Vec<OpId>, Vec<OpId>) =
            graph.value_inputs(op).into_iter().partition(|&input| input >= first_backward);
        rootless[op] = behind.is_empty();
        of_no_layer[op] = before.is_empty() && behind.iter().all(|&input| of_no_layer[input]);
        let gradients = || behind.iter().filter(|&&input| !of_no_layer[input]);
        let of_layers: Vec<usize> =
            gradients().filter(|&&input| !joint[input]).map(|&input| anchor[input]).collect();
        let joins = gradients().any(|&input| joint[input]);
        joint[op] = update[op] && (joins || of_layers.iter().any(|&place| place != of_layers[0]));
        let all_joint = joins && of_layers.is_empty();
        let bounding = behind.iter().filter(|&&input| all_joint || !joint[input]);
        let upper = bounding.map(|&input| anchor[input]).min().unwrap_or(last);
        let arguments = graph.argument_inputs(op);
        let at_layer = |argument: TensorId| {
            let places = &of_argument[argument];
            at_most(places, upper).or_else(|| places.first().copied().filter(|_| all_joint))
        };
        let weight = arguments.iter().filter_map(|&argument| at_layer(argument)).max();
        // A value made by one layer is read by the next: only a weight tells whose it is for certain.
        let value = || before.iter().filter_map(|&value| at_most(&of_value[value], upper)).max();
        anchor[op] = weight.or_else(value).unwrap_or(upper);
    }
    // What reads no gradient, such as a mask made late, goes to its readers.
    let mut reader = vec![None; graph.ops.len()];
    for &op in backward.iter().rev() {
        if rootless[op]
            && let Some(place) = reader[op]
        {
            anchor[op] = place;
        }
        for input in graph.value_inputs(op) {
            reader[input] = Some(reader[input].map_or(anchor[op], |place: usize| place.max(anchor[op])));
        }
    }
    anchor
}

/// Joins neighbouring pieces until there are at most `most`: in every share of the time the cut with the least traffic
/// stays.
fn join(graph: &Graph, costs: &Costs, anchor: &[usize], opens: &mut [bool], most: usize) {
    if opens.iter().filter(|&&opens| opens).count() <= most {
        return;
    }
    let mut before = vec![0.0; opens.len() + 1];
    for op in graph.planned() {
        before[anchor[op] + 1] += costs.of(DeviceId(0), op);
    }
    for place in 0..opens.len() {
        before[place + 1] += before[place];
    }
    let share = before[opens.len()] / most as f64;
    let traffic = traffic(graph, opens.len(), anchor);
    // The calmest cut of every share of the time.
    let mut calm: Vec<Option<usize>> = vec![None; most];
    for place in (1..opens.len()).filter(|&place| opens[place]) {
        let bucket = if share > 0.0 { (before[place] / share) as usize } else { place };
        let known = &mut calm[bucket.min(most - 1)];
        if known.is_none_or(|known| traffic[place] < traffic[known]) {
            *known = Some(place);
        }
    }
    opens.fill(false);
    opens[0] = true;
    for place in calm.into_iter().skip(1).flatten() {
        opens[place] = true;
    }
}

/// Bytes of the values that cross the cut before each forward op.
fn traffic(graph: &Graph, places: usize, anchor: &[usize]) -> Vec<u64> {
    let mut reach: Vec<Option<(usize, usize)>> = vec![None; graph.ops.len()];
    for op in graph.planned() {
        for input in graph.value_inputs(op) {
            let (low, high) = reach[input].unwrap_or((anchor[input], anchor[input]));
            reach[input] = Some((low.min(anchor[op]), high.max(anchor[op])));
        }
    }
    let mut steps = vec![0i128; places + 1];
    for op in graph.planned() {
        if let Some((low, high)) = reach[op] {
            // Crosses the cuts before places low + 1 to high.
            let bytes = i128::from(graph.value_bytes(op).0);
            steps[(low + 1).min(places)] += bytes;
            steps[(high + 1).min(places)] -= bytes;
        }
    }
    let mut across = 0i128;
    steps[..places]
        .iter()
        .map(|step| {
            across += step;
            u64::try_from(across).unwrap_or(u64::MAX)
        })
        .collect()
}

impl Layers {
    /// The stage of every op when stage `s` runs the pieces `cuts[s - 1]..cuts[s]`; views and constants go with
    /// their first reader.
    #[must_use]
    pub fn stage_of(&self, graph: &Graph, cuts: &[usize]) -> Vec<DeviceId> {
        let stage = |piece: &usize| DeviceId(cuts.partition_point(|cut| cut <= piece));
        let mut stage_of: Vec<DeviceId> = self.piece_of.iter().map(stage).collect();
        settle_views(graph, &mut stage_of);
        stage_of
    }
}

#[cfg(test)]
mod tests {
    use ballast_core::graph::{Op, Tensor};
    use ballast_core::units::Bytes;

    use super::*;

    /// Ops that each read arguments and values of ops before, and make one.
    fn forward(arguments: usize, ops: &[(&[usize], &[usize])]) -> (Graph, Vec<OpId>) {
        let mut graph = Graph { name: "main".into(), ..Graph::default() };
        let tensor = |producer: Option<OpId>| Tensor {
            producer,
            index: 0,
            bytes: Bytes(4),
            returned: false,
            type_name: "value".into(),
        };
        graph.tensors.extend((0..arguments).map(|_| tensor(None)));
        for (id, (read, values)) in ops.iter().enumerate() {
            let inputs: Vec<usize> =
                read.iter().copied().chain(values.iter().map(|value| arguments + value)).collect();
            graph.ops.push(Op::new(format!("op{id}"), inputs, [arguments + id]));
            graph.tensors.push(tensor(Some(OpId(id))));
        }
        let all = (0..ops.len()).map(OpId).collect();
        (graph, all)
    }

    #[test]
    fn casts_of_weights_go_to_the_first_layer_that_reads_them() {
        // Weights 1 and 2 are cast, the second in two steps; layers read the data, 0, and these.
        let casts: [(&[usize], &[usize]); 6] =
            [(&[1], &[]), (&[2], &[]), (&[], &[1]), (&[0], &[0]), (&[], &[3, 2]), (&[], &[4, 0])];
        let (graph, forward) = forward(3, &casts);
        assert_eq!(to_readers(&graph, &forward), [3, 4, 4, 3, 4, 5]);
    }

    #[test]
    fn no_piece_is_left_where_a_cast_stood() {
        // The same, and a backward op that reads the last of the forward pass.
        let ops: [(&[usize], &[usize]); 7] = [
            (&[1], &[]),
            (&[2], &[]),
            (&[], &[1]),
            (&[0], &[0]),
            (&[], &[3, 2]),
            (&[], &[4, 0]),
            (&[], &[5]),
        ];
        let (mut graph, all) = forward(3, &ops);
        for (op, id) in graph.ops.iter_mut().zip(all) {
            op.backward = Some(id == OpId(6));
        }
        let costs = Costs { seconds: vec![vec![1.0; 7]] };
        let layers = layers(&graph, &costs, Granularity::Op, 192).expect("a training step");
        assert_eq!((layers.pieces, layers.piece_of), (3, vec![0, 1, 1, 0, 1, 2, 2]));
    }

    #[test]
    fn a_chain_of_layers_without_weights_is_no_form_of_its_argument() {
        let inputs: Vec<[usize; 1]> = (0..20).map(|id: usize| [id.saturating_sub(1)]).collect();
        let ops: Vec<(&[usize], &[usize])> = inputs
            .iter()
            .enumerate()
            .map(|(id, read)| if id == 0 { (&read[..], &[][..]) } else { (&[][..], &read[..]) })
            .collect();
        let (graph, forward) = forward(1, &ops);
        assert_eq!(to_readers(&graph, &forward), (0..20).collect::<Vec<_>>());
    }
}
