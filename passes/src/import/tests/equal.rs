//! Equal ops, and ops that only look equal.

use super::*;

/// Reads a program and merges what is equal: names of the ops that are still planned.
fn merged(arguments: &str, ops: &str, result: &str) -> Vec<String> {
    let devices = merged_on(arguments, ops, result);
    devices.into_iter().map(|(name, _)| name).collect()
}

/// The same with the devices that the ops are bound to.
fn merged_on(arguments: &str, ops: &str, result: &str) -> Vec<(String, Option<DeviceId>)> {
    let context = context();
    let text = super::stablehlo(arguments, ops, result);
    let module = Module::parse(&context, &text).expect("the test's program parses");
    let mut imported =
        read(module.as_operation(), &ImportOptions::default()).expect("the test's program is read");
    let before = imported.graph.ops.len();
    crate::backend::xla::equal::merge(&mut imported);
    check(&imported.graph);
    assert_eq!(imported.graph.ops.len(), before, "ops keep their numbers");
    let graph = &imported.graph;
    for (&kept, dropped) in &imported.equal {
        for id in graph.planned() {
            assert!(!graph.ops[id].inputs.iter().any(|input| dropped.contains(input)), "nobody reads a copy");
        }
        assert!(graph.tensors[kept].producer.is_some_and(|maker| graph.ops[maker].role == OpRole::Compute));
    }
    let name = |id: OpId| graph.ops[id].name.trim_start_matches("stablehlo.").to_owned();
    graph.planned().map(|id| (name(id), graph.ops[id].rules.device)).collect()
}

const T: &str = "tensor<4xf32>";

#[test]
fn equal_ops_become_one_and_so_do_their_equal_readers() {
    let ops = format!(
        r#"%a = "stablehlo.add"(%x, %y) : ({T}, {T}) -> {T}
           %b = "stablehlo.add"(%y, %x) : ({T}, {T}) -> {T}
           %c = "stablehlo.exponential"(%a) : ({T}) -> {T}
           %d = "stablehlo.exponential"(%b) : ({T}) -> {T}
           %r = "stablehlo.subtract"(%c, %d) : ({T}, {T}) -> {T}"#
    );
    assert_eq!(merged(&format!("%x: {T}, %y: {T}"), &ops, T), ["add", "exponential", "subtract"]);
}

#[test]
fn an_op_runs_where_either_of_two_equal_ones_is_bound_to() {
    let ops = |first: &str, second: &str| {
        format!(
            r#"%a = "stablehlo.add"(%x, %y) {first} : ({T}, {T}) -> {T}
               %b = "stablehlo.add"(%x, %y) {second} : ({T}, {T}) -> {T}
               %r = "stablehlo.subtract"(%a, %b) : ({T}, {T}) -> {T}"#
        )
    };
    let on = |id: usize| format!("{{ballast.device = #ballast.device<{id}>}}");
    let merged = |first: &str, second: &str| {
        merged_on(&format!("%x: {T}, %y: {T}"), &ops(first, second), T)
            .into_iter()
            .map(|(_, device)| device.map(|device| device.0))
            .collect::<Vec<_>>()
    };
    assert_eq!(merged("", &on(1)), [Some(1), None]);
    assert_eq!(merged(&on(1), ""), [Some(1), None]);
    assert_eq!(merged(&on(1), &on(1)), [Some(1), None]);
    assert_eq!(merged(&on(0), &on(1)), [Some(0), Some(1), None], "no op runs on two devices");
}

#[test]
fn order_attributes_regions_and_returns_matter() {
    let ops = format!(
        r#"%a = "stablehlo.subtract"(%x, %y) : ({T}, {T}) -> {T}
           %b = "stablehlo.subtract"(%y, %x) : ({T}, {T}) -> {T}
           %s = "stablehlo.compare"(%a, %b) <{{comparison_direction = #stablehlo<comparison_direction LT>}}> : ({T}, {T}) -> tensor<4xi1>
           %t = "stablehlo.compare"(%a, %b) <{{comparison_direction = #stablehlo<comparison_direction GT>}}> : ({T}, {T}) -> tensor<4xi1>
           %u = "stablehlo.select"(%s, %a, %b) : (tensor<4xi1>, {T}, {T}) -> {T}
           %v = "stablehlo.select"(%t, %u, %b) : (tensor<4xi1>, {T}, {T}) -> {T}
           %w = "stablehlo.abs"(%v) : ({T}) -> {T}
           %r = "stablehlo.abs"(%v) : ({T}) -> {T}"#
    );
    let names = ["subtract", "subtract", "compare", "compare", "select", "select", "abs", "abs"];
    assert_eq!(merged(&format!("%x: {T}, %y: {T}"), &ops, T), names, "what is returned stays itself");
    let sum = |name: &str, inner: &str| {
        format!(
            r#"%{name} = "stablehlo.reduce"(%x, %zero) <{{dimensions = array<i64: 0>}}> ({{
               ^bb0(%p: tensor<f32>, %q: tensor<f32>):
                 %s = "stablehlo.{inner}"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
                 "stablehlo.return"(%s) : (tensor<f32>) -> ()
               }}) : ({T}, tensor<f32>) -> tensor<f32>
            "#
        )
    };
    let ops = [
        r#"%zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
        "#
        .to_owned(),
        sum("a", "add"),
        sum("b", "add"),
        sum("c", "maximum"),
        r#"%d = "stablehlo.divide"(%a, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
           %r = "stablehlo.divide"(%d, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>"#
            .to_owned(),
    ];
    let names = ["reduce", "reduce", "divide", "divide"];
    assert_eq!(merged(&format!("%x: {T}"), &ops.concat(), "tensor<f32>"), names);
}

#[test]
fn random_numbers_barriers_and_values_under_rules_stay_apart() {
    let ops = format!(
        r#"%n = "stablehlo.constant"() <{{value = dense<4> : tensor<1xi64>}}> : () -> tensor<1xi64>
           %z = "stablehlo.constant"() <{{value = dense<0.0> : tensor<f32>}}> : () -> tensor<f32>
           %a = "stablehlo.rng"(%z, %z, %n) <{{rng_distribution = #stablehlo<rng_distribution NORMAL>}}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> {T}
           %b = "stablehlo.rng"(%z, %z, %n) <{{rng_distribution = #stablehlo<rng_distribution NORMAL>}}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> {T}
           %c:2 = "stablehlo.optimization_barrier"(%a, %b) : ({T}, {T}) -> ({T}, {T})
           %d:2 = "stablehlo.optimization_barrier"(%a, %b) : ({T}, {T}) -> ({T}, {T})
           %e = "stablehlo.abs"(%c#0) {{ballast.must_keep}} : ({T}) -> {T}
           %f = "stablehlo.abs"(%c#0) : ({T}) -> {T}
           %g = "stablehlo.add"(%e, %d#0) : ({T}, {T}) -> {T}
           %r = "stablehlo.add"(%g, %f) : ({T}, {T}) -> {T}"#
    );
    let names = ["rng", "rng", "optimization_barrier", "optimization_barrier", "abs", "abs", "add", "add"];
    assert_eq!(merged("", &ops, T), names);
}
