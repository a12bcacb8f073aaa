//! Exported training steps, against closed formulas of the literature.

use super::*;

/// Operations of the contractions and convolutions alone.
fn heavy(graph: &Graph) -> u64 {
    graph.ops.iter().filter(|op| op.opens_layer).map(|op| op.work.flops).sum()
}

fn within(value: u64, formula: u64, percent: f64) {
    let off = (value as f64 / formula as f64 - 1.0) * 100.0;
    assert!(off.abs() <= percent, "{value} is {off:.2} % off {formula}");
}

#[test]
fn every_model_of_the_tree_is_read_and_priced() {
    let folder = model("");
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "mlir") {
            let graph = read_file(&path);
            for op in &graph.ops {
                assert!(op.work.priced && op.pure_op, "{} in {}", op.name, path.display());
            }
            assert!(heavy(&graph) > 0 && graph.planned().count() > 10, "{}", path.display());
            assert!(graph.tensors.iter().any(|tensor| tensor.returned), "{}", path.display());
            read += 1;
        }
    }
    assert!(read >= 6, "{read} models");
}

/// Multiply-adds of ResNet-50 on one image, bias and normalisation left out: K. He, X. Zhang, S. Ren, J. Sun, "Deep
/// residual learning for image recognition", CVPR 2016, table 1, with the stride in the 3x3 convolution of a
/// block (4.09e9, the variant that frameworks train).
fn resnet50_multiply_adds() -> u64 {
    let mut total = 112 * 112 * 49 * 3 * 64;
    let mut channels = 64;
    for (blocks, width, size) in [(3, 64, 56), (4, 128, 28), (6, 256, 14), (3, 512, 7)] {
        let points = size * size;
        for block in 0..blocks {
            let first = block == 0;
            // The first block of a stage reads the larger map of the stage before.
            let points_in = if first && width > 64 { 4 * points } else { points };
            total += points_in * channels * width + points * 9 * width * width + points * width * 4 * width;
            if first {
                total += points * channels * 4 * width;
            }
            channels = 4 * width;
        }
    }
    total + 2048 * 1000
}

#[test]
fn resnet50_agrees_with_the_published_formula() {
    let forward = resnet50_multiply_adds();
    within(forward, 4_090_000_000, 0.1);
    let images = 32;
    // Forward, gradients to inputs, gradients to kernels; the image needs no gradient.
    let step = images * 2 * (3 * forward - 112 * 112 * 49 * 3 * 64);
    let graph = read_file(&model("resnet50_train_b32.mlir"));
    within(heavy(&graph), step, 0.5);
    within(flops(&graph), step, 2.0);
    let backward: u64 = graph
        .ops
        .iter()
        .filter(|op| op.opens_layer && op.backward == Some(true))
        .map(|op| op.work.flops)
        .sum();
    within(heavy(&graph) - backward, images * 2 * forward, 0.5);
}

/// Operations of one training step of a GPT-2: 6 per weight of a matrix and token, and the two products of
/// attention, 12 per layer, token, position and channel. D. Narayanan et al., "Efficient large-scale language model
/// training on GPU clusters using Megatron-LM", SC 2021, appendix, equation 2, without recomputation:
/// 72 B s l h² (1 + s / 6h + V / 12 l h).
fn gpt2(batch: u64, sequence: u64, layers: u64, hidden: u64, vocabulary: u64) -> u64 {
    let tokens = batch * sequence;
    72 * tokens * layers * hidden * hidden
        + 12 * tokens * layers * hidden * sequence
        + 6 * tokens * hidden * vocabulary
}

#[test]
fn gpt2_agrees_with_the_published_formula() {
    let small = read_file(&model("gpt2_small_b4_s512.mlir"));
    let step = gpt2(4, 512, 12, 768, 50257);
    within(heavy(&small), step, 0.5);
    within(flops(&small), step, 2.0);
    let graph = read_file(&model("gpt2_tiny_b2_s64.mlir"));
    let step = gpt2(2, 64, 2, 64, 256);
    within(heavy(&graph), step, 0.5);
    // At this toy size the elementwise work is 4 % of the whole; the products alone are the formula's subject.
    within(flops(&graph), step, 5.0);
}

#[test]
fn one_network_counts_the_same_in_every_dialect() {
    let (rows, widths) = (128, [784, 1024, 512, 10]);
    let weights: u64 = widths.windows(2).map(|pair| pair[0] * pair[1]).sum();
    // Forward, gradients to weights, gradients to activations but for the input.
    let step = 2 * rows * (3 * weights - widths[0] * widths[1]);
    for name in ["mlp3_b128", "torch_mlp_train.stablehlo", "torch_mlp_train.linalg", "torch_mlp_train.tosa"] {
        let graph = read_file(&model(&format!("{name}.mlir")));
        assert_eq!(heavy(&graph), step, "{name}");
        within(flops(&graph), step, 2.0);
        let backward: u64 = graph
            .ops
            .iter()
            .filter(|op| op.opens_layer && op.backward == Some(true))
            .map(|op| op.work.flops)
            .sum();
        assert_eq!(backward, step - 2 * rows * weights, "{name}");
    }
}
