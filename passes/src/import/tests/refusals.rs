//! Programs that are refused, each with a located message.

use super::*;

fn refused(text: &str, options: &ImportOptions, line: usize, parts: &[&str]) {
    let messages = read_text(text, options).expect_err(text);
    let message = messages.first().expect("an error was reported").clone();
    assert!(message.contains(&format!(":{line}:")), "line {line} is not named: {message}");
    for part in parts {
        assert!(message.contains(part), "{message} does not say {part:?}");
    }
}

fn default(text: &str, line: usize, parts: &[&str]) {
    refused(text, &ImportOptions::default(), line, parts);
}

#[test]
fn dynamic_shapes_without_a_size_are_refused_at_the_op() {
    let text = "func.func @main(%a: tensor<4xf32>) -> tensor<?xf32> {
      %0 = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
      return %0 : tensor<?xf32>
    }";
    default(text, 2, &["tensor.cast", "dynamic-dim=N"]);
    default("\nfunc.func @main(%a: tensor<?xf32>) { return }", 2, &["argument 0", "dynamic-dim=N"]);
    default("func.func @main(%a: tensor<*xf32>) { return }", 1, &["no rank"]);
    let inner = "func.func @main(%a: tensor<4xf32>, %p: i1) {
      scf.if %p {
        %0 = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
        scf.yield
      }
      return
    }";
    default(inner, 3, &["tensor.cast", "dynamic-dim=N"]);
}

#[test]
fn a_function_that_nobody_knows_to_end_is_refused_at_its_last_op() {
    let text = "func.func @main(%a: tensor<4xf32>) {
      \"some.return\"(%a) : (tensor<4xf32>) -> ()
    }";
    default(text, 2, &["'some.return'", "func.return"]);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    default("func.func @main(%a: tensor<4000000000x4000000000xf32>) { return }", 1, &["2^63"]);
    default("func.func @main(%a: !mystery.kind) { return }", 1, &["!mystery.kind", "not known"]);
    default("func.func @main(%a: tensor<4x!mystery.kind>) { return }", 1, &["!mystery.kind", "not known"]);
}

#[test]
fn the_function_must_be_there_and_be_meant() {
    let named = |name: &str| ImportOptions { function: Some(name.to_owned()), ..ImportOptions::default() };
    let two = "module {
      func.func @f() { return }
      func.func @g() { return }
      func.func private @h() { return }
    }";
    default("module {}", 1, &["no function"]);
    default(two, 1, &["several public functions", "@f, @g, @h"]);
    refused(two, &named("main"), 1, &["'@main'", "@f, @g, @h"]);
    default("module { func.func private @f() { return } }", 1, &["no public function", "@f"]);
    refused("module {\n func.func private @f() \n func.func @g() { return }}", &named("f"), 2, &["no body"]);
    for name in ["f", "@g", "h"] {
        assert_eq!(read_text(two, &named(name)).unwrap().name, name.trim_start_matches('@'));
    }
    let main = two.replace("@g", "@main");
    assert_eq!(read_ok(&main).name, "main");
    assert_eq!(read_ok("func.func private @x() func.func @only() { return }").name, "only");
}

#[test]
fn several_blocks_are_refused() {
    let text = "func.func @main() {
      cf.br ^next
    ^next:
      return
    }";
    default(text, 1, &["several blocks"]);
}

#[test]
fn calls_in_a_circle_are_refused() {
    let text = "func.func private @f() {
      func.call @g() : () -> ()
      return
    }
    func.func private @g() {
      func.call @f() : () -> ()
      return
    }
    func.func @main() {
      func.call @f() : () -> ()
      return
    }";
    default(text, 6, &["calls itself"]);
    default("func.func @main() {\n func.call @main() : () -> ()\n return }", 2, &["calls itself"]);
}

#[test]
fn long_chains_of_calls_are_read_without_recursion() {
    const FUNCTIONS: usize = 20_000;
    let mut text = String::from(
        "func.func @main(%a: f32) -> f32 {\n %0 = func.call @f0(%a) : (f32) -> f32\n return %0 : f32\n}\n",
    );
    for i in 0..FUNCTIONS {
        let callee = if i + 1 < FUNCTIONS {
            format!("func.call @f{}(%a) : (f32) -> f32", i + 1)
        } else {
            "math.exp %a : f32".to_owned()
        };
        text.push_str(&format!(
            "func.func private @f{i}(%a: f32) -> f32 {{\n %0 = {callee}\n return %0 : f32\n}}\n"
        ));
    }
    assert_eq!(flops(&read_ok(&text)), 1);
}
