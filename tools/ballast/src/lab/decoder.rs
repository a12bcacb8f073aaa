//! `ballast lab decoder`: writes the training step of a decoder as a memory-planning instance, op by op.
//!
//! Layers of a pre-norm transformer decoder with attention split by head and every element-wise op on its own;
//! the backward pass follows from the forward ops. Times are floating-point operations, sizes bytes of 32-bit floats.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ballast_core::memory::{self, Problem};
use serde::Serialize;

use crate::failure::Failure;
use crate::output;
use crate::ranges::count;

/// Arguments of `ballast lab decoder`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Decoder layers; 1 to 4096.
    #[arg(long, value_parser = count::<u64, 1, 4096>, default_value_t = 48)]
    layers: u64,
    /// Width of the model; a multiple of the heads; 1 to 1048576.
    #[arg(long, value_parser = count::<u64, 1, 1_048_576>, default_value_t = 1536)]
    width: u64,
    /// Attention heads; 1 to 256.
    #[arg(long, value_parser = count::<u64, 1, 256>, default_value_t = 12)]
    heads: u64,
    /// Tokens of a sequence; 1 to 1048576.
    #[arg(long, value_parser = count::<u64, 1, 1_048_576>, default_value_t = 1024)]
    tokens: u64,
    /// Sequences of a batch; 1 to 1048576.
    #[arg(long, value_parser = count::<u64, 1, 1_048_576>, default_value_t = 4)]
    batch: u64,
    /// Words of the vocabulary; 1 to 1048576.
    #[arg(long, value_parser = count::<u64, 1, 1_048_576>, default_value_t = 32_000)]
    words: u64,
    /// Where to write the instance.
    #[arg(short, long)]
    output: PathBuf,
}

#[derive(Serialize)]
struct Node {
    id: usize,
    name: String,
    /// Operations.
    time: u64,
    /// Bytes.
    size: u64,
    is_backward: bool,
}

#[derive(Serialize)]
struct Instance {
    name: String,
    nodes: Vec<Node>,
    edges: Vec<(usize, usize)>,
    /// Share of the unplanned peak, bytes.
    budgets: BTreeMap<String, u64>,
}

/// Budgets written: shares of the unplanned peak.
const BUDGETS: [f64; 3] = [0.5, 0.4, 0.35];

/// What the gradients of an op read beside the gradient of its result.
#[derive(Clone, Copy, PartialEq)]
enum Needs {
    Nothing,
    Inputs,
    Result,
}

struct Op {
    inputs: Vec<usize>,
    needs: Needs,
    /// Elements of its weights.
    weights: u64,
}

/// Bytes of an element.
const ELEMENT: u64 = 4;

#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    edges: Vec<(usize, usize)>,
    ops: Vec<Op>,
}

impl Builder {
    fn node(&mut self, name: String, time: u64, elements: u64, reads: &[usize], is_backward: bool) -> usize {
        let id = self.nodes.len();
        let mut reads = reads.to_vec();
        reads.sort_unstable();
        reads.dedup();
        self.edges.extend(reads.iter().map(|&read| (read, id)));
        self.nodes.push(Node { id, name, time, size: elements * ELEMENT, is_backward });
        id
    }

    fn forward(
        &mut self,
        name: String,
        time: u64,
        elements: u64,
        inputs: &[usize],
        needs: Needs,
        weights: u64,
    ) -> usize {
        self.ops.push(Op { inputs: inputs.to_vec(), needs, weights });
        self.node(name, time, elements, inputs, false)
    }

    /// An op of so many operations per element.
    fn each(&mut self, name: String, per: u64, elements: u64, inputs: &[usize], needs: Needs) -> usize {
        self.forward(name, per * elements, elements, inputs, needs, 0)
    }

    /// A product with weights and the bias after it.
    fn dense(&mut self, name: &str, rows: u64, from: u64, to: u64, input: usize) -> usize {
        let product = self.forward(
            format!("{name}.product"),
            2 * rows * from * to,
            rows * to,
            &[input],
            Needs::Inputs,
            from * to,
        );
        self.each(format!("{name}.bias"), 1, rows * to, &[product], Needs::Nothing)
    }

    fn norm(&mut self, name: &str, rows: u64, width: u64, input: usize) -> usize {
        let all = rows * width;
        let mean = self.forward(format!("{name}.mean"), all, rows, &[input], Needs::Nothing, 0);
        let centred = self.each(format!("{name}.centre"), 1, all, &[input, mean], Needs::Nothing);
        let square = self.each(format!("{name}.square"), 1, all, &[centred], Needs::Inputs);
        let variance = self.forward(format!("{name}.variance"), all, rows, &[square], Needs::Nothing, 0);
        let root = self.each(format!("{name}.rsqrt"), 4, rows, &[variance], Needs::Result);
        let scaled = self.each(format!("{name}.normalise"), 1, all, &[centred, root], Needs::Inputs);
        let gain = self.each(format!("{name}.gain"), 1, all, &[scaled], Needs::Inputs);
        self.each(format!("{name}.shift"), 1, all, &[gain], Needs::Nothing)
    }

    fn layer(&mut self, at: u64, args: &Args, input: usize) -> usize {
        let (rows, width) = (args.batch * args.tokens, args.width);
        let (head, pairs) = (width / args.heads, args.batch * args.tokens * args.tokens);
        let name = |part: &str| format!("layer{at}.{part}");
        let normed = self.norm(&name("norm1"), rows, width, input);
        let [query, key, value] =
            ["query", "key", "value"].map(|part| self.dense(&name(part), rows, width, width, normed));
        let mut heads = Vec::new();
        for index in 0..args.heads {
            let part = |part: &str| format!("layer{at}.head{index}.{part}");
            let scores =
                self.forward(part("scores"), 2 * pairs * head, pairs, &[query, key], Needs::Inputs, 0);
            let scaled = self.each(part("scale"), 1, pairs, &[scores], Needs::Nothing);
            let masked = self.each(part("mask"), 1, pairs, &[scaled], Needs::Nothing);
            let most = self.forward(part("max"), pairs, rows, &[masked], Needs::Nothing, 0);
            let less = self.each(part("less"), 1, pairs, &[masked, most], Needs::Nothing);
            let power = self.each(part("exp"), 4, pairs, &[less], Needs::Result);
            let sum = self.forward(part("sum"), pairs, rows, &[power], Needs::Nothing, 0);
            let share = self.each(part("divide"), 1, pairs, &[power, sum], Needs::Inputs);
            heads.push(self.forward(
                part("mix"),
                2 * pairs * head,
                rows * head,
                &[share, value],
                Needs::Inputs,
                0,
            ));
        }
        let joined = self.each(name("join"), 1, rows * width, &heads, Needs::Nothing);
        let attended = self.dense(&name("project"), rows, width, width, joined);
        let middle = self.each(name("residual1"), 1, rows * width, &[input, attended], Needs::Nothing);
        let normed = self.norm(&name("norm2"), rows, width, middle);
        let wide = self.dense(&name("wide"), rows, width, 4 * width, normed);
        let all = 4 * rows * width;
        // GELU in its tanh form: x/2 * (1 + tanh(c * (x + a * x^3))).
        let cube = self.each(name("gelu.cube"), 2, all, &[wide], Needs::Inputs);
        let inner = self.each(name("gelu.inner"), 3, all, &[wide, cube], Needs::Nothing);
        let tanh = self.each(name("gelu.tanh"), 8, all, &[inner], Needs::Result);
        let half = self.each(name("gelu.half"), 2, all, &[tanh], Needs::Nothing);
        let curved = self.each(name("gelu.times"), 1, all, &[wide, half], Needs::Inputs);
        let narrow = self.dense(&name("narrow"), rows, 4 * width, width, curved);
        self.each(name("residual2"), 1, rows * width, &[middle, narrow], Needs::Nothing)
    }

    /// The gradients, last op first; several of one value are summed as they come.
    fn backward(&mut self) {
        let count = self.ops.len();
        let mut gradient: Vec<Option<usize>> = vec![None; count];
        for op in (0..count).rev() {
            let Op { inputs, needs, weights } = &self.ops[op];
            let (inputs, needs, weights) = (inputs.clone(), *needs, *weights);
            let mut reads: Vec<usize> = gradient[op].into_iter().collect();
            match needs {
                Needs::Nothing => {}
                Needs::Inputs => reads.extend(&inputs),
                Needs::Result => reads.push(op),
            }
            let (name, time) = (self.nodes[op].name.clone(), self.nodes[op].time);
            if weights > 0 {
                self.node(format!("{name}.grad_weights"), time, weights, &reads, true);
            }
            for (index, &input) in inputs.iter().enumerate() {
                // The gradient of one factor reads the other.
                let mut reads = reads.clone();
                if needs == Needs::Inputs && inputs.len() == 2 {
                    reads.retain(|&read| read != input);
                } else if weights > 0 {
                    reads.truncate(1);
                }
                let elements = self.nodes[input].size / ELEMENT;
                let own = self.node(format!("{name}.grad{index}"), time, elements, &reads, true);
                gradient[input] = Some(match gradient[input] {
                    None => own,
                    Some(other) => {
                        self.node(format!("{name}.sum{index}"), elements, elements, &[own, other], true)
                    }
                });
            }
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    output::check([], [args.output.as_path()])?;
    check_size(args)?;
    if !args.width.is_multiple_of(args.heads) {
        return Err(Failure::BadInput(format!(
            "--width {} is no multiple of --heads {}",
            args.width, args.heads
        )));
    }
    let text =
        serde_json::to_string(&instance(args)).map_err(|error| Failure::Internal(error.to_string()))?;
    output::write_file(&args.output, format!("{text}\n").as_bytes())
}

/// Most nodes of an instance written: some 400 bytes each.
const MOST_NODES: u64 = 4_000_000;

/// Refuses what would not fit: counted before anything is made.
fn check_size(args: &Args) -> Result<(), Failure> {
    let exact = 1 << 53;
    let rows = args.batch * args.tokens;
    let pairs = u128::from(rows) * u128::from(args.tokens);
    let width = u128::from(args.width);
    // Operations of the largest products: twice the multiplications, and JSON's numbers are exact up to 2^53.
    let largest = [
        2 * pairs * width,
        8 * u128::from(rows) * width * width,
        2 * u128::from(rows) * width * u128::from(args.words),
    ];
    if largest.into_iter().any(|operations| operations > exact) {
        return Err(Failure::BadInput(
            "one op of this decoder has more than 2^53 operations: lower --batch, --tokens, --width or --words".into(),
        ));
    }
    // Nine ops a head and some forty a layer, each with three gradients at most.
    let nodes = 4 * args.layers * (9 * args.heads + 40);
    if nodes > MOST_NODES {
        return Err(Failure::BadInput(format!(
            "this decoder has up to {nodes} ops, more than {MOST_NODES}: lower --layers or --heads"
        )));
    }
    Ok(())
}

fn instance(args: &Args) -> Instance {
    let rows = args.batch * args.tokens;
    let mut builder = Builder::default();
    let mut stream = builder.forward(
        "embed".into(),
        rows * args.width,
        rows * args.width,
        &[],
        Needs::Nothing,
        args.words * args.width,
    );
    for layer in 0..args.layers {
        stream = builder.layer(layer, args, stream);
    }
    let normed = builder.norm("norm", rows, args.width, stream);
    let scores = builder.dense("words", rows, args.width, args.words, normed);
    let likely = builder.each("softmax".into(), 5, rows * args.words, &[scores], Needs::Result);
    builder.forward("loss".into(), rows, 1, &[likely], Needs::Inputs, 0);
    builder.backward();
    let Builder { nodes, edges, .. } = builder;
    let name = format!("decoder{}", args.layers);
    let mut planned: Vec<memory::Node> =
        nodes.iter().map(|node| memory::Node::new("", node.time as f64, node.size, [])).collect();
    edges.iter().for_each(|&(read, reader)| planned[reader].inputs.push(memory::NodeId(read)));
    let problem = Problem { name: String::new(), nodes: planned, resident_bytes: 0 };
    let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
    let budgets = BUDGETS
        .iter()
        .map(|share| (format!("{share}"), (share * peak as f64).ceil() as u64))
        .filter(|&(_, bytes)| bytes >= least)
        .collect();
    Instance { name, nodes, edges, budgets }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(layers: u64) -> Instance {
        let output = PathBuf::new();
        instance(&Args { layers, width: 8, heads: 2, tokens: 4, batch: 1, words: 16, output })
    }

    #[test]
    fn every_layer_adds_the_same_ops_and_reads_come_first() {
        let counts: Vec<usize> = (1..5).map(|layers| small(layers).nodes.len()).collect();
        assert!(counts.windows(3).all(|three| three[1] - three[0] == three[2] - three[1]), "{counts:?}");
        let instance = small(3);
        assert!(instance.edges.iter().all(|&(read, reader)| read < reader));
        assert!(instance.nodes.iter().enumerate().all(|(at, node)| node.id == at));
    }

    #[test]
    fn the_backward_pass_of_a_product_costs_twice_the_forward_pass() {
        let instance = small(1);
        let time = |backward: bool| -> u64 {
            let of =
                |node: &&Node| node.name.starts_with("layer0.wide.product") && node.is_backward == backward;
            instance.nodes.iter().filter(of).map(|node| node.time).sum()
        };
        assert_eq!(time(true), 2 * time(false));
    }
}
