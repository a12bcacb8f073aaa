//! What becomes a node, an input, a view, a constant; sizes; rules; calls and regions.

use super::*;
use ballast_core::device::DeviceId;
use ballast_core::graph::TensorId;

#[test]
fn sizes_follow_from_the_element_type() {
    let cases = [
        ("tensor<3x5xi1>", 15),
        ("tensor<3x5xi4>", 15),
        ("tensor<3xi24>", 12),
        ("tensor<7xf4E2M1FN>", 7),
        ("tensor<7xf8E4M3FN>", 7),
        ("tensor<7xbf16>", 14),
        ("tensor<7xf80>", 112),
        ("tensor<7xtf32>", 28),
        ("tensor<2x3xcomplex<f32>>", 48),
        ("tensor<4xindex>", 32),
        ("tensor<f64>", 8),
        ("tensor<0x4xf32>", 0),
        ("tensor<6x!quant.uniform<i8:f32, 5.000000e-01>>", 6),
        ("tuple<tensor<2xf32>, tensor<3xi8>>", 11),
        ("!stablehlo.token", 0),
        ("vector<4xf32>", 16),
        ("tensor<2xvector<4xf32>>", 32),
        ("index", 8),
        ("none", 0),
    ];
    for (kind, bytes) in cases {
        let graph = read_ok(&format!("func.func @main(%a: {kind}) {{ return }}"));
        assert_eq!(graph.tensors[0].bytes.0, bytes, "{kind}");
        assert_eq!(graph.tensors[0].type_name, kind);
    }
}

#[test]
fn dynamic_dimensions_take_the_size_given() {
    let text = "func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %0 = arith.addf %a, %a : tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }";
    let options = ImportOptions { dynamic_dim: Some(10), ..ImportOptions::default() };
    let graph = read_text(text, &options).unwrap();
    assert_eq!(graph.tensors[1].bytes.0, 160);
    assert_eq!(graph.ops[0].work.flops, 40);
    assert_eq!(graph.ops[0].work.bytes.0, 320, "an operand used twice is read once");
}

#[test]
fn views_constants_and_what_is_made_of_constants_cost_nothing() {
    let graph = read_ok(
        r#"func.func @main(%a: tensor<4x4xf32>) -> (tensor<16xf32>, tensor<4x4xf32>) {
      %c = "stablehlo.constant"() <{value = dense<2.0> : tensor<f32>}> : () -> tensor<f32>
      %b = "stablehlo.broadcast_in_dim"(%c) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
      %n = "stablehlo.negate"(%b) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %m = "stablehlo.multiply"(%a, %n) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %v = "stablehlo.reshape"(%m) : (tensor<4x4xf32>) -> tensor<16xf32>
      %d = "stablehlo.constant"() <{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
      %e = "stablehlo.broadcast_in_dim"(%d) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x4xf32>
      %f = "stablehlo.add"(%a, %e) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      return %v, %f : tensor<16xf32>, tensor<4x4xf32>
    }"#,
    );
    let roles: Vec<OpRole> = graph.ops.iter().map(|op| op.role).collect();
    let (compute, view, constant) = (OpRole::Compute, OpRole::View, OpRole::Constant);
    assert_eq!(roles, [constant, constant, constant, compute, view, constant, constant, compute]);
    // The splat constant is nowhere to be read; the table of four values is.
    assert_eq!(op(&graph, "stablehlo.multiply").work.bytes.0, 128);
    assert_eq!(op(&graph, "stablehlo.add").work.bytes.0, 192);
    assert_eq!(graph.returned_ops(), [false, false, false, true, false, false, false, true]);
    assert_eq!(op(&graph, "stablehlo.add").work.flops, 16);
}

#[test]
fn linalg_fills_and_empties_cost_nothing_and_unread_results_move_nothing() {
    let graph = read_ok(
        "func.func @main(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) -> tensor<8x2xf32> {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<8x2xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x2xf32>) -> tensor<8x2xf32>
      %m = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x2xf32>) outs(%f : tensor<8x2xf32>) -> tensor<8x2xf32>
      %x = linalg.exp ins(%m : tensor<8x2xf32>) outs(%e : tensor<8x2xf32>) -> tensor<8x2xf32>
      %g = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x2xf32>) outs(%x : tensor<8x2xf32>) -> tensor<8x2xf32>
      return %g : tensor<8x2xf32>
    }",
    );
    let planned: Vec<&str> = graph.planned().map(|id| graph.ops[id].name.as_str()).collect();
    assert_eq!(planned, ["linalg.matmul", "linalg.exp", "linalg.matmul"]);
    let bytes: Vec<u64> = graph.planned().map(|id| graph.ops[id].work.bytes.0).collect();
    assert_eq!(bytes, [128 + 32 + 64, 64 + 64, 128 + 32 + 64 + 64], "a sum onto another value reads it");
    assert_eq!(graph.ops[3].work.flops, 2 * 8 * 4 * 2);
}

#[test]
fn captured_values_are_inputs_and_inner_ops_belong_to_the_outer_one() {
    let graph = read_ok(
        "func.func @main(%a: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
      %0 = math.exp %a : tensor<4xf32>
      %1 = scf.if %p -> tensor<4xf32> {
        %2 = arith.mulf %0, %a : tensor<4xf32>
        %3 = arith.addf %2, %0 : tensor<4xf32>
        scf.yield %3 : tensor<4xf32>
      } else {
        scf.yield %a : tensor<4xf32>
      }
      return %1 : tensor<4xf32>
    }",
    );
    assert_eq!(graph.ops.len(), 2);
    let branch = op(&graph, "scf.if");
    // Operand %p, then the captured %0 and %a.
    assert_eq!(branch.inputs, [1, 2, 0].map(TensorId));
    assert_eq!((branch.work.flops, branch.pure_op), (8, true));
    assert_eq!(branch.workspace.0, 32, "the product and the sum are alive together");
    assert!(
        branch.key.starts_with("scf.if {arith.mulf arith.addf scf.yield scf.yield} (i1) -> "),
        "{}",
        branch.key
    );
}

#[test]
fn loops_count_their_trips() {
    let graph = read_ok(
        "func.func @main(%a: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %c2 = arith.constant 2 : index
      %0 = scf.for %i = %c0 to %c7 step %c2 iter_args(%x = %a) -> tensor<4xf32> {
        %y = arith.mulf %x, %x : tensor<4xf32>
        scf.yield %y : tensor<4xf32>
      }
      %1 = scf.for %i = %c0 to %n step %c2 iter_args(%x = %a) -> tensor<4xf32> {
        %y = arith.mulf %x, %x : tensor<4xf32>
        scf.yield %y : tensor<4xf32>
      }
      %c-2 = arith.constant -2 : index
      %2 = scf.for unsigned %i = %c-2 to %c7 step %c2 iter_args(%x = %a) -> tensor<4xf32> {
        %y = arith.mulf %x, %x : tensor<4xf32>
        scf.yield %y : tensor<4xf32>
      }
      return %0, %1 : tensor<4xf32>, tensor<4xf32>
    }",
    );
    let loops: Vec<&Op> = graph.ops.iter().filter(|op| op.name == "scf.for").collect();
    assert_eq!((loops[0].work.flops, loops[0].work.priced), (4 * 4, true));
    assert_eq!(
        (loops[1].work.flops, loops[1].work.priced),
        (4, false),
        "unknown trips are said to be unknown"
    );
    assert!(!loops[2].work.priced, "without a sign it begins far behind its end");
}

#[test]
fn a_while_loop_of_scf_counts_its_trips_where_constants_decide() {
    let of = |predicate: &str, handed_on: &str, step: &str| {
        let graph = read_ok(&format!(
            "func.func @main(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {{
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : index
      %c2 = arith.constant 2 : index
      %0:2 = scf.while (%i = %c0, %x = %a) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {{
        %more = arith.cmpi {predicate}, %i, %c7 : index
        scf.condition(%more) {handed_on}, %x : index, tensor<4xf32>
      }} do {{
      ^bb0(%j: index, %x: tensor<4xf32>):
        %y = arith.mulf %x, %x : tensor<4xf32>
        %next = arith.addi %j, {step} : index
        scf.yield %next, %y : index, tensor<4xf32>
      }}
      return %0#1 : tensor<4xf32>
    }}"
        ));
        let looped = graph.ops.iter().find(|op| op.name == "scf.while").expect("a loop");
        (looped.work.priced, looped.work.flops / 6)
    };
    assert_eq!(of("slt", "%i", "%c2"), (true, 4));
    assert_eq!(of("sle", "%i", "%c7"), (true, 2));
    // Six operations an iteration: four products, the comparison and the sum. Without a sign, from another value, by another step: nobody knows.
    for (predicate, handed_on, step) in [("ult", "%i", "%c2"), ("slt", "%n", "%c2"), ("slt", "%i", "%n")] {
        assert_eq!(of(predicate, handed_on, step), (false, 1), "{predicate} {handed_on} {step}");
    }
}

#[test]
fn calls_are_summed_up_through_every_level() {
    let graph = read_ok(
        "func.func private @inner(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %e = tensor.empty() : tensor<4x4xf32>
      %m = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
      return %m : tensor<4x4xf32>
    }
    func.func private @outer(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = func.call @inner(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %1 = func.call @inner(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %2 = arith.addf %0, %1 : tensor<4x4xf32>
      return %2 : tensor<4x4xf32>
    }
    func.func private @unknown(tensor<4x4xf32>) -> tensor<4x4xf32>
    func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = func.call @outer(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %1 = func.call @unknown(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      return %1 : tensor<4x4xf32>
    }",
    );
    let (outer, unknown) = (&graph.ops[0], &graph.ops[1]);
    assert_eq!(outer.work.flops, 2 * 128 + 16);
    assert_eq!(
        (outer.layer, outer.opens_layer, outer.pure_op, outer.work.priced),
        (LayerType::Dense, true, true, true)
    );
    assert!(outer.key.starts_with("func.call @outer ("), "{}", outer.key);
    assert_eq!(outer.workspace.0, 3 * 64, "both products and the sum");
    assert_eq!((unknown.pure_op, unknown.work.priced, unknown.work.bytes.0), (false, false, 128));
}

#[test]
fn side_effects_randomness_and_unknown_ops_may_not_run_twice() {
    let graph = read_ok(
        r#"func.func @main(%a: tensor<4xf32>, %s: tensor<2xui64>, %x: f32) -> tensor<4xf32> {
      %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
      %1 = "stablehlo.custom_call"(%a) <{call_target_name = "f", has_side_effect = true}> : (tensor<4xf32>) -> tensor<4xf32>
      %2 = "stablehlo.custom_call"(%a) <{call_target_name = "g", has_side_effect = false}> : (tensor<4xf32>) -> tensor<4xf32>
      %3 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %s2 = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%s2) : (tensor<f32>) -> ()
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %4 = "mystery.op"(%a) : (tensor<4xf32>) -> tensor<4xf32>
      %5 = "stablehlo.case"(%s) ({
        %6 = "stablehlo.rng"(%x, %x, %x) : (f32, f32, f32) -> tensor<4xf32>
        "stablehlo.return"(%6) : (tensor<4xf32>) -> ()
      }) : (tensor<2xui64>) -> tensor<4xf32>
      vector.print %x : f32
      %7 = arith.addf %a, %4 : tensor<4xf32>
      return %7 : tensor<4xf32>
    }"#,
    );
    let pure_op: Vec<bool> = graph.ops.iter().map(|op| op.pure_op).collect();
    // The state that it is given says what the generator makes.
    assert_eq!(pure_op, [true, false, true, false, false, false, false, true]);
    assert_eq!(graph.ops[0].work.flops, 4, "its bits, and not the state");
    let priced: Vec<bool> = graph.ops.iter().map(|op| op.work.priced).collect();
    assert_eq!(priced, [true, false, false, true, false, true, false, true]);
}

#[test]
fn rules_of_the_user_are_kept() {
    let graph = read_ok(
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = math.exp %a {ballast.never_recompute, ballast.device = #ballast.device<3>} : tensor<4xf32>
      %1 = math.exp %0 {ballast.never_swap} : tensor<4xf32>
      %2 = math.exp %1 {ballast.must_keep} : tensor<4xf32>
      return %2 : tensor<4xf32>
    }",
    );
    let rules: Vec<_> = graph.ops.iter().map(|op| op.rules).collect();
    assert!(rules[0].never_recompute && !rules[0].never_swap && rules[0].device == Some(DeviceId(3)));
    assert!(rules[1].never_swap && !rules[1].must_keep && rules[1].device.is_none());
    assert!(rules[2].must_keep && !rules[2].never_recompute);
}

#[test]
fn locations_are_those_of_the_framework() {
    let graph = read_ok(
        "#file = loc(\"model.py\":12:3)
    #named = loc(\"jit(f)/dot\"(#file))
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = math.exp %a : tensor<4xf32> loc(#named)
      %1 = math.exp %0 : tensor<4xf32> loc(callsite(fused[#file, \"other\"] at \"caller\"))
      %2 = math.exp %1 : tensor<4xf32> loc(unknown)
      return %2 : tensor<4xf32>
    }",
    );
    let locations: Vec<&str> = graph.ops.iter().map(|op| op.location.as_str()).collect();
    assert_eq!(locations, ["jit(f)/dot at model.py:12:3", "model.py:12:3", ""]);
}

#[test]
fn passes_are_told_apart_by_names_or_by_the_loss() {
    let text = "func.func @main(%w: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
      %e = tensor.empty() : tensor<f32>
      %0 = arith.mulf %w, %x : tensor<4xf32> loc(\"jit(f)/jvp(g)/mul\")
      %1 = math.exp %0 : tensor<4xf32> loc(\"jit(f)/jvp(g)/exp\")
      %2 = linalg.reduce {arith.addf} ins(%1 : tensor<4xf32>) outs(%e : tensor<f32>) dimensions = [0]
      %3 = arith.mulf %1, %x : tensor<4xf32> loc(\"jit(f)/transpose(jvp(g))/mul\")
      return %3, %2 : tensor<4xf32>, tensor<f32>
    }";
    let backward = |text: &str| -> Vec<Option<bool>> {
        read_ok(text).ops.iter().filter(|op| op.role == OpRole::Compute).map(|op| op.backward).collect()
    };
    let told = [Some(false), Some(false), Some(false), Some(true)];
    assert_eq!(backward(text), told);
    let bare: String = text
        .split(" loc(")
        .enumerate()
        .map(|(i, part)| {
            if i == 0 {
                part
            } else {
                part.split_once(')').map_or("", |_| &part[part.find('\n').unwrap_or(0)..])
            }
        })
        .collect();
    assert!(!bare.contains("loc("));
    assert_eq!(backward(&bare), told);
    // Two scalars: which one is the loss cannot be told.
    let untold = bare
        .replace("(tensor<4xf32>, tensor<f32>) {", "(tensor<4xf32>, tensor<f32>, tensor<f32>) {")
        .replace(
            "return %3, %2 : tensor<4xf32>, tensor<f32>",
            "return %3, %2, %e : tensor<4xf32>, tensor<f32>, tensor<f32>",
        );
    assert_eq!(backward(&untold), [None; 4]);
}

#[test]
fn bytes_that_are_no_text_are_read_and_stay_apart() {
    // Symbol names, attributes and types may hold any bytes.
    let text = r#"module {
      func.func private @"\FFf"(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = "a.b"(%x) {other = "x\80", "k\FF" = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
        %1 = call @"\FFf"(%0) : (tensor<4xf32>) -> tensor<4xf32>
        return %1 : tensor<4xf32>
      }
    }"#;
    let graph = read_ok(text);
    let key = &op(&graph, "func.call").key;
    assert!(key.starts_with(r"func.call @\FFf (tensor<4xf32>) -> (tensor<4xf32>)"), "{key}");
    let other = read_ok(&text.replace(r"x\80", r"x\81"));
    assert_ne!(graph.content, other.content);
    assert_eq!(graph.content, read_ok(text).content);
}

#[test]
fn long_types_are_cut_and_stay_apart() {
    let doubled = |element: &str| {
        let mut text = format!("!t0 = tuple<{element}, {element}>\n");
        for level in 1..30 {
            text += &format!("!t{level} = tuple<!t{}, !t{}>\n", level - 1, level - 1);
        }
        // Printing it would take as many bytes as 2 to the power of 30.
        read_ok(
            &(text
                + "func.func @main(%x: i1) -> i1 {\n  %0 = \"a.b\"(%x) : (i1) -> !t29\n  %1 = \"a.c\"(%0) : (!t29) -> i1\n  return %1 : i1\n}"),
        )
    };
    let (one, other) = (doubled("f32"), doubled("i32"));
    assert_eq!(one.tensors[1].bytes.0, 4 << 30);
    assert!(one.tensors[1].type_name.len() <= 4096, "{}", one.tensors[1].type_name);
    assert_ne!(one.tensors[1].type_name, other.tensors[1].type_name);
    assert_ne!(one.content, other.content);
}

#[test]
fn more_bytes_than_64_bits_count_are_refused_at_the_op() {
    let huge = ["tensor<1152921504606846976xf32>"; 8].join(", ");
    let text = format!("func.func @main(%x: f32) {{\n  %0:8 = \"a.b\"(%x) : (f32) -> ({huge})\n  return\n}}");
    let messages = read_text(&text, &ImportOptions::default()).expect_err("refused");
    assert!(messages[0].contains(":2:") && messages[0].contains("more than 1.0 EiB"), "{messages:?}");
}

#[test]
fn ops_of_one_key_do_the_same_work() {
    let graph = read_ok(
        r#"func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %few = arith.constant 10 : index
      %many = arith.constant 1000 : index
      %0 = scf.for %i = %zero to %few step %one iter_args(%x = %a) -> tensor<4x4xf32> {
        %n = math.exp %x : tensor<4x4xf32>
        scf.yield %n : tensor<4x4xf32>
      }
      %1 = scf.for %i = %zero to %many step %one iter_args(%x = %0) -> tensor<4x4xf32> {
        %n = math.exp %x : tensor<4x4xf32>
        scf.yield %n : tensor<4x4xf32>
      }
      %2 = "stablehlo.dot_general"(%1, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %3 = "stablehlo.dot_general"(%2, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %4 = "stablehlo.dot_general"(%3, %2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ballast.must_keep} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %5 = "stablehlo.tanh"(%4) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      return %5 : tensor<4x4xf32>
    }"#,
    );
    let keys: Vec<&str> = graph.planned().map(|id| graph.ops[id].key.as_str()).collect();
    assert!(keys[0].contains(" x10 ") && keys[1].contains(" x1000 "), "{keys:?}");
    assert_ne!(keys[2], keys[3], "other dimensions are summed over");
    assert_eq!(keys[2], keys[4], "what a user says of a plan is no work");
    assert_eq!(keys[5], "stablehlo.tanh (tensor<4x4xf32>) -> (tensor<4x4xf32>)");
}

#[test]
fn a_branch_takes_as_long_as_the_arm_that_moves_most_where_that_is_more() {
    let graph = read_ok(
        "func.func @main(%a: tensor<64x64xf32>, %s: tensor<2xf32>, %p: i1) -> tensor<2xf32> {
      %0 = scf.if %p -> tensor<2xf32> {
        %t = linalg.transpose ins(%a : tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) permutation = [1, 0]
        %e = tensor.extract_slice %t[0, 0] [1, 2] [1, 1] : tensor<64x64xf32> to tensor<2xf32>
        scf.yield %e : tensor<2xf32>
      } else {
        %n = arith.addf %s, %s : tensor<2xf32>
        scf.yield %n : tensor<2xf32>
      }
      return %0 : tensor<2xf32>
    }",
    );
    assert_eq!(op(&graph, "scf.if").work.bytes.0, 2 * 4 * 64 * 64);
}

#[test]
fn functions_of_one_name_in_several_modules_are_priced_apart() {
    let graph = read_ok(
        "module @dear {
           func.func public @f(%a: tensor<4xf32>) -> tensor<4xf32> {
             %0 = arith.addf %a, %a : tensor<4xf32>
             %1 = arith.addf %0, %a : tensor<4xf32>
             return %1 : tensor<4xf32>
           }
         }
         func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
           %0 = arith.addf %a, %a : tensor<4xf32>
           return %0 : tensor<4xf32>
         }
         func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
           %0 = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
           %1 = \"stablehlo.composite\"(%0) {name = \"x.f\", decomposition = @dear::@f} : (tensor<4xf32>) -> tensor<4xf32>
           scf.execute_region {
             builtin.module {
               func.func @f(%b: tensor<4xf32>) -> tensor<4xf32> {
                 return %b : tensor<4xf32>
               }
               func.func @g(%b: tensor<4xf32>) -> tensor<4xf32> {
                 %2 = func.call @f(%b) : (tensor<4xf32>) -> tensor<4xf32>
                 return %2 : tensor<4xf32>
               }
             }
             scf.yield
           }
           return %1 : tensor<4xf32>
         }",
    );
    let flops = |name| op(&graph, name).work.flops;
    assert_eq!(flops("func.call"), 4, "one sum of four numbers");
    assert_eq!(flops("stablehlo.composite"), 8, "two of them");
    assert_eq!(flops("scf.execute_region"), 0, "its own function does nothing");
}
