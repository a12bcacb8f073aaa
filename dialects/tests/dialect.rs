//! The Rust side of the dialect on a live MLIR context: attributes there and back, questions about ops, and passes
//! that fail or panic.

use std::sync::{Arc, Mutex};

use ballast_dialects::attributes::{
    Cost, Device, Plan, Program, Receive, Recompute, Stage, StopReason, Swap,
};
use ballast_dialects::cloning::Mapping;
use ballast_dialects::diagnostics::{self, Reported};
use ballast_dialects::operations::{
    dlti_entries, for_each_op, is_constant_like, is_memory_effect_free, properties, referenced_symbols,
    replace_all_uses, symbol_references, uses,
};
use ballast_dialects::passes::{self, MemoryOrder, Passes, RlPartitionOptions};
use ballast_dialects::registration;
use ballast_dialects::structured::{Loop, loops};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, BlockLike, Location, Module, RegionLike};
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_dialects};

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    registration::register_dialect(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context.set_allow_unregistered_dialects(true);
    context
}

/// Everything MLIR reports while `run` runs.
fn reported(context: &Context, run: impl FnOnce()) -> Vec<String> {
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&messages);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        sink.lock().unwrap().push(diagnostic.to_string());
        true
    });
    run();
    context.detach_diagnostic_handler(handler);
    messages.lock().unwrap().clone()
}

fn ops<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let mut all = Vec::new();
    for_each_op(module.as_operation(), |op| all.push(op));
    all
}

fn named<'c, 'a>(module: &'a Module<'c>, name: &str) -> OperationRef<'c, 'a> {
    ops(module).into_iter().find(|op| op.name().as_string_ref().as_str() == Ok(name)).unwrap()
}

fn a_plan() -> Plan<'static> {
    let stage = |device, seconds| Stage {
        device,
        cores: 1,
        cap: 1 << 34,
        requested_cap: 1 << 33,
        smallest_cap: (device == 0).then_some((1 << 33) + 1),
        peak: 1 << 32,
        unplanned_peak: 1 << 35,
        host_peak: 12,
        seconds,
        unplanned_seconds: 0.1,
        bound: 0.1,
    };
    Plan {
        devices: 4,
        tmax: 0.3,
        tmin: 0.1 + 0.2 - 0.1,
        ratio: Some(0.3 / (0.1 + 0.2 - 0.1)),
        bound: 0.15,
        bound_class: "contiguous".to_owned(),
        gap: 1.0 - 0.15 / 0.3,
        stop: StopReason::WorkLimit,
        method: "dp".to_owned(),
        seed: u64::MAX,
        fingerprint: "0123456789abcdef".to_owned(),
        checksum: "fedcba9876543210".to_owned(),
        cap_met: false,
        bound_trusts_highs: true,
        stages: vec![stage(0, 0.3), stage(3, 0.1 + 0.2 - 0.1)],
        settings: None,
    }
}

#[test]
fn attributes_come_back_as_they_went_in() {
    let context = context();
    let location = Location::unknown(&context);
    let device = Device { id: 7 };
    assert_eq!(Device::read(device.attribute(location).unwrap()), Some(device));
    let recompute = Recompute { before: vec![0, 5, i64::MAX] };
    assert_eq!(Recompute::read(recompute.attribute(location).unwrap()), Some(recompute));
    let swap = Swap { out_after: 0, in_before: vec![1, 9] };
    assert_eq!(Swap::read(swap.attribute(location).unwrap()), Some(swap));
    for again_before in [vec![], vec![4, 5]] {
        let receive = Receive { device: 1, position: 3, again_before };
        assert_eq!(Receive::read(receive.attribute(location).unwrap()), Some(receive));
    }
    for (arguments, results) in [(vec![], vec![0]), (vec![1, 4], vec![])] {
        let program = Program { device: 1, devices: 2, arguments, results };
        assert_eq!(Program::read(program.attribute(location).unwrap()), Some(program));
    }
    // Times pass through text when bytecode or a file lies between, and must not lose a bit there either.
    for seconds in [0.1, 1e-300, f64::MIN_POSITIVE, 1.0 / 3.0, f64::MAX, 0.0] {
        let cost = Cost { seconds, flops: i64::MAX, bytes: 0 };
        let attribute = cost.attribute(location).unwrap();
        assert_eq!(Cost::read(attribute), Some(cost));
        let printed = Attribute::parse(&context, &attribute.to_string()).unwrap();
        assert_eq!(Cost::read(printed).unwrap().seconds.to_bits(), seconds.to_bits());
    }
    let plan = a_plan();
    let attribute = plan.attribute(location).unwrap();
    assert_eq!(Plan::read(attribute), Some(plan.clone()));
    assert_eq!(Plan::read(Attribute::parse(&context, &attribute.to_string()).unwrap()), Some(plan));
    assert_eq!(Device::read(attribute), None);
}

#[test]
fn nonsense_is_reported_where_it_was_made() {
    let context = context();
    let location = Location::new(&context, "here.mlir", 3, 4);
    let messages = reported(&context, || {
        assert!(Device { id: -1 }.attribute(location).is_err());
        assert!(Recompute { before: vec![] }.attribute(location).is_err());
        assert!(Cost { seconds: f64::NAN, flops: 0, bytes: 0 }.attribute(location).is_err());
        assert!(Plan { gap: 0.9, ..a_plan() }.attribute(location).is_err());
    });
    assert_eq!(messages.len(), 4, "{messages:?}");
    assert!(messages[3].contains("gap 0.9"), "{messages:?}");
}

#[test]
fn questions_about_ops_are_answered() {
    let context = context();
    let module = Module::parse(
        &context,
        r#"
        module attributes {dlti.map = #dlti.map<"b" = 1 : i64, "a" = 2 : i64>} {
          func.func @f(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>, %c: tensor<8x2xf32>) -> tensor<8x2xf32> {
            %k = arith.constant dense<1.0> : tensor<8x2xf32>
            %0 = linalg.matmul ins(%a, %b : tensor<8x4xf32>, tensor<4x2xf32>) outs(%c : tensor<8x2xf32>) -> tensor<8x2xf32>
            %1 = "other.op"(%0, %0) <{to = @g, deep = [{x = @h::@i}]}> : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
            return %1 : tensor<8x2xf32>
          }
        }"#,
    )
    .unwrap();
    let matmul = named(&module, "linalg.matmul");
    let other = named(&module, "other.op");
    let iteration = |extent, reduction| Loop { extent: Some(extent), reduction };
    assert_eq!(loops(&matmul).unwrap(), [iteration(8, false), iteration(2, false), iteration(4, true)]);
    assert_eq!(loops(&other), None);
    assert!(is_memory_effect_free(&matmul) && !is_memory_effect_free(&other));
    assert!(is_constant_like(&named(&module, "arith.constant")) && !is_constant_like(&matmul));
    assert_eq!(referenced_symbols(&module.as_operation()), ["h", "g"]);
    assert_eq!(symbol_references(other), [vec!["h", "i"], vec!["g"]]);
    assert!(properties(&other).unwrap().to_string().contains("to = @g"));
    let entries = dlti_entries(module.as_operation().attribute("dlti.map").unwrap()).unwrap();
    let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["b", "a"], "the order written");
    let mut operands: Vec<usize> =
        uses(matmul.result(0).unwrap()).iter().map(|reader| reader.operand).collect();
    operands.sort_unstable();
    assert_eq!(operands, [0, 1]);
}

#[test]
fn clones_read_what_they_are_mapped_to() {
    let context = context();
    let module = Module::parse(
        &context,
        r#"
        func.func @f(%a: i32, %b: i32) -> i32 {
          %0 = "other.op"(%a) : (i32) -> i32
          return %0 : i32
        }"#,
    )
    .unwrap();
    let op = named(&module, "other.op");
    let block = op.block().unwrap();
    let mut mapping = Mapping::new();
    mapping.map(block.argument(0).unwrap(), block.argument(1).unwrap());
    let clone = block.insert_operation_before(op, mapping.clone_op(&op));
    let second: melior::ir::Value = block.argument(1).unwrap().into();
    assert_eq!(clone.operand(0).unwrap(), second);
    assert_eq!(mapping.lookup(op.result(0).unwrap()), clone.result(0).unwrap().into());
    replace_all_uses(op.result(0).unwrap(), clone.result(0).unwrap().into());
    assert!(uses(op.result(0).unwrap()).is_empty());
    assert!(module.as_operation().verify());
}

/// A pass that does nothing.
fn idle<O>(_: OperationRef<'_, '_>, _: &O) -> Result<(), Reported> {
    Ok(())
}

/// Passes of which some misbehave.
const MISBEHAVING: Passes = Passes {
    ballast_inline: |_, _| panic!("the sky is {}", "falling"),
    ballast_report: |module, options| {
        Err(diagnostics::error(module.location(), &format!("no {}", options.output)))
    },
    remat: |module, options| {
        assert_eq!(options.order, MemoryOrder::Free);
        assert!((options.relax_step - 0.123_456_789_012_345).abs() < 1e-18);
        assert_eq!((options.cap.as_str(), options.seed, options.swap), ("60%", u64::MAX, false));
        assert_eq!(options.max_rounds, 16, "a default");
        diagnostics::warning(module.location(), &options.plan_file);
        Ok(())
    },
    rl_partition: |module, options| {
        assert_eq!(*options, RlPartitionOptions::default());
        diagnostics::warning(module.location(), &format!("{} {}", options.weights, options.order.name()));
        Ok(())
    },
    ballast_apply: idle,
    ballast_entry: idle,
    ballast_gather_gradients: idle,
    ballast_host_heap: idle,
    ballast_kernels: idle,
    ballast_messages: idle,
    ballast_outline: idle,
    ballast_outline_body: idle,
    ballast_pair_loops: idle,
    ballast_place: idle,
    ballast_plan: idle,
    ballast_pool_gradients: idle,
    ballast_depthwise_gradients: idle,
    ballast_rank: idle,
    ballast_split_ops: idle,
    ballast_strip: idle,
    ballast_to_buffers: idle,
    ballast_to_stablehlo: idle,
    ballast_unroll: idle,
    ballast_verify: idle,
    ballast_wide_products: idle,
};

#[test]
fn options_arrive_and_failures_and_panics_are_reported() {
    passes::register(MISBEHAVING);
    let context = context();
    let mut module = Module::parse(&context, "module {}").unwrap();
    let mut run = |pipeline: &str| {
        let manager = PassManager::new(&context);
        parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline).unwrap();
        let mut passed = false;
        let messages = reported(&context, || passed = manager.run(&mut module).is_ok());
        (passed, messages)
    };
    let (passed, messages) = run(
        "builtin.module(remat{cap=60% order=free relax-step=0.123456789012345 seed=18446744073709551615 swap=false plan-file={a b.json}})",
    );
    assert!(passed);
    assert_eq!(messages, ["a b.json"]);
    let (passed, messages) = run("builtin.module(ballast-report{output=way})");
    assert!(!passed);
    assert_eq!(messages, ["no way"]);
    assert_eq!(
        run("builtin.module(rl-partition)"),
        (true, vec!["1,1,1 program".to_owned()]),
        "defaults of both sides"
    );
    let (passed, messages) = run("builtin.module(ballast-inline)");
    assert!(!passed);
    assert_eq!(messages, ["internal error in --ballast-inline: the sky is falling"]);
    let region = module.as_operation().region(0).unwrap();
    assert!(region.first_block().is_some(), "the module outlives a panic");
}
