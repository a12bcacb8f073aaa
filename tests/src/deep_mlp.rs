//! A training step of a deep perceptron, as linalg on tensors, of any size.

use std::fmt::Write as _;

/// Sizes of a deep perceptron.
#[derive(Clone, Copy, Debug)]
pub struct DeepMlp {
    /// Layers: product and rectifier each.
    pub layers: usize,
    /// Inputs and outputs of every layer.
    pub width: usize,
    /// Examples of one step.
    pub batch: usize,
}

impl DeepMlp {
    /// The program: `@main(input, wanted output, weights..) -> updated weights..`, one step of gradient descent on the
    /// squared error.
    ///
    /// # Panics
    /// Never: text is written to a string.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "a program written out, top to bottom")]
    pub fn program(&self) -> String {
        let DeepMlp { layers, width, batch } = *self;
        let (values, weights) =
            (format!("tensor<{batch}x{width}xf32>"), format!("tensor<{width}x{width}xf32>"));
        let turned = format!("tensor<{width}x{batch}xf32>");
        let arguments: Vec<String> = (0..layers).map(|layer| format!("%w{layer}: {weights}")).collect();
        let mut body =
            String::from("    %zero = arith.constant 0.0 : f32\n    %rate = arith.constant 0.01 : f32\n");
        for (name, kind) in [("values", &values), ("weights", &weights)] {
            writeln!(body, "    %{name}_room = tensor.empty() : {kind}").unwrap();
            writeln!(
                body,
                "    %{name}_zero = linalg.fill ins(%zero : f32) outs(%{name}_room : {kind}) -> {kind}"
            )
            .unwrap();
        }
        writeln!(body, "    %turned_room = tensor.empty() : {turned}").unwrap();
        let pointwise = |text: &mut String,
                         name: &str,
                         inputs: [&str; 2],
                         kind: &str,
                         room: &str,
                         ops: &str| {
            let [a, b] = inputs;
            writeln!(
                text,
                "    %{name} = linalg.generic {{indexing_maps = [#map, #map, #map], iterator_types = [\"parallel\", \"parallel\"]}} \
                 ins({a}, {b} : {kind}, {kind}) outs({room} : {kind}) {{\n    ^bb0(%a: f32, %b: f32, %o: f32):\n{ops}    }} -> {kind}"
            )
            .unwrap();
        };
        let product = |text: &mut String, name: &str, [a, b]: [&str; 2], [x, y, z]: [&str; 3], zero: &str| {
            writeln!(text, "    %{name} = linalg.matmul ins({a}, {b} : {x}, {y}) outs({zero} : {z}) -> {z}")
                .unwrap();
        };
        let transposed = |text: &mut String, name: &str, a: &str, [x, z]: [&str; 2], room: &str| {
            writeln!(
                text,
                "    %{name} = linalg.transpose ins({a} : {x}) outs({room} : {z}) permutation = [1, 0]"
            )
            .unwrap();
        };
        let input = |layer: usize| if layer == 0 { "%x".to_owned() } else { format!("%h{}", layer - 1) };
        for layer in 0..layers {
            let (from, weight) = (input(layer), format!("%w{layer}"));
            let kinds = [values.as_str(), &weights, &values];
            product(&mut body, &format!("p{layer}"), [&from, &weight], kinds, "%values_zero");
            let sum = format!("%p{layer}");
            let ops = "      %m = arith.maximumf %a, %zero : f32\n      linalg.yield %m : f32\n";
            pointwise(&mut body, &format!("h{layer}"), [&sum, &sum], &values, "%values_room", ops);
        }
        let ops = "      %d = arith.subf %a, %b : f32\n      linalg.yield %d : f32\n";
        pointwise(&mut body, "g", [&format!("%h{}", layers - 1), "%y"], &values, "%values_room", ops);
        let mut gradient = "%g".to_owned();
        for layer in (0..layers).rev() {
            let ops = "      %c = arith.cmpf ogt, %b, %zero : f32\n      %s = arith.select %c, %a, %zero : f32\n      \
                       linalg.yield %s : f32\n";
            let sum = format!("%p{layer}");
            pointwise(&mut body, &format!("d{layer}"), [&gradient, &sum], &values, "%values_room", ops);
            let delta = format!("%d{layer}");
            transposed(&mut body, &format!("t{layer}"), &input(layer), [&values, &turned], "%turned_room");
            let kinds = [turned.as_str(), &values, &weights];
            product(
                &mut body,
                &format!("dw{layer}"),
                [&format!("%t{layer}"), &delta],
                kinds,
                "%weights_zero",
            );
            let ops = "      %r = arith.mulf %b, %rate : f32\n      %n = arith.subf %a, %r : f32\n      linalg.yield %n : f32\n";
            let (weight, change) = (format!("%w{layer}"), format!("%dw{layer}"));
            pointwise(&mut body, &format!("n{layer}"), [&weight, &change], &weights, "%weights_room", ops);
            if layer > 0 {
                transposed(&mut body, &format!("v{layer}"), &weight, [&weights, &weights], "%weights_room");
                let kinds = [values.as_str(), &weights, &values];
                product(
                    &mut body,
                    &format!("g{layer}"),
                    [&delta, &format!("%v{layer}")],
                    kinds,
                    "%values_zero",
                );
                gradient = format!("%g{layer}");
            }
        }
        let results: Vec<String> = (0..layers).map(|layer| format!("%n{layer}")).collect();
        let kinds = vec![weights.clone(); layers].join(", ");
        format!(
            "#map = affine_map<(d0, d1) -> (d0, d1)>\nfunc.func @main(%x: {values}, %y: {values}, {}) -> ({kinds}) {{\n{body}    \
             return {} : {kinds}\n}}\n",
            arguments.join(", "),
            results.join(", "),
        )
    }
}
