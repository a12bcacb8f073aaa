// Calls that stay, with the reason, and a module that would explode.
// RUN: ballast-opt %s --allow-unregistered-dialect --ballast-inline -verify-diagnostics -split-input-file

func.func @recursive_calls_stay(%x: i32) -> i32 {
  // expected-remark@+1 {{call of 'even' is not inlined: it calls itself}}
  %0 = call @even(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @even(%x: i32) -> i32 {
  // expected-remark@+1 {{call of 'odd' is not inlined: it calls itself}}
  %0 = call @odd(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @odd(%x: i32) -> i32 {
  // expected-remark@+1 {{call of 'even' is not inlined: it calls itself}}
  %0 = call @even(%x) : (i32) -> i32
  return %0 : i32
}

// -----

func.func @declarations_stay(%x: i32) -> i32 {
  // expected-remark@+1 {{call of 'elsewhere' is not inlined: it has no body}}
  %0 = call @elsewhere(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @elsewhere(i32) -> i32

// -----

func.func @several_blocks_stay(%x: i1) -> i32 {
  // expected-remark@+1 {{call of 'branches' is not inlined: its body is not one block}}
  %0 = call @branches(%x) : (i1) -> i32
  return %0 : i32
}
func.func private @branches(%x: i1) -> i32 {
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  cf.cond_br %x, ^end(%a : i32), ^end(%b : i32)
^end(%r: i32):
  return %r : i32
}

// -----

// Between two cycles is not on a cycle.
func.func @between_cycles_is_inlined(%x: i32) -> i32 {
  // expected-remark@+1 {{call of 'first' is not inlined: it calls itself}}
  %0 = call @first(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @first(%x: i32) -> i32 {
  // expected-remark@+1 {{call of 'first' is not inlined: it calls itself}}
  %0 = call @first(%x) : (i32) -> i32
  %1 = call @between(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @between(%x: i32) -> i32 {
  // expected-remark@+1 {{call of 'last' is not inlined: it calls itself}}
  %0 = call @last(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @last(%x: i32) -> i32 {
  // expected-remark@+1 {{call of 'last' is not inlined: it calls itself}}
  %0 = call @last(%x) : (i32) -> i32
  return %0 : i32
}

// -----

// Thirty helpers that call the one before twice would make a thousand million ops.
func.func private @f0(%x: i32) -> i32 {
  %0 = "some.op"(%x) : (i32) -> i32
  return %0 : i32
}
func.func private @f1(%x: i32) -> i32 {
  %0 = call @f0(%x) : (i32) -> i32
  %1 = call @f0(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f2(%x: i32) -> i32 {
  %0 = call @f1(%x) : (i32) -> i32
  %1 = call @f1(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f3(%x: i32) -> i32 {
  %0 = call @f2(%x) : (i32) -> i32
  %1 = call @f2(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f4(%x: i32) -> i32 {
  %0 = call @f3(%x) : (i32) -> i32
  %1 = call @f3(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f5(%x: i32) -> i32 {
  %0 = call @f4(%x) : (i32) -> i32
  %1 = call @f4(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f6(%x: i32) -> i32 {
  %0 = call @f5(%x) : (i32) -> i32
  %1 = call @f5(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f7(%x: i32) -> i32 {
  %0 = call @f6(%x) : (i32) -> i32
  %1 = call @f6(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f8(%x: i32) -> i32 {
  %0 = call @f7(%x) : (i32) -> i32
  %1 = call @f7(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f9(%x: i32) -> i32 {
  %0 = call @f8(%x) : (i32) -> i32
  %1 = call @f8(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f10(%x: i32) -> i32 {
  %0 = call @f9(%x) : (i32) -> i32
  %1 = call @f9(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f11(%x: i32) -> i32 {
  %0 = call @f10(%x) : (i32) -> i32
  %1 = call @f10(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f12(%x: i32) -> i32 {
  %0 = call @f11(%x) : (i32) -> i32
  %1 = call @f11(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f13(%x: i32) -> i32 {
  %0 = call @f12(%x) : (i32) -> i32
  %1 = call @f12(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f14(%x: i32) -> i32 {
  %0 = call @f13(%x) : (i32) -> i32
  %1 = call @f13(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f15(%x: i32) -> i32 {
  %0 = call @f14(%x) : (i32) -> i32
  %1 = call @f14(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f16(%x: i32) -> i32 {
  %0 = call @f15(%x) : (i32) -> i32
  %1 = call @f15(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f17(%x: i32) -> i32 {
  %0 = call @f16(%x) : (i32) -> i32
  %1 = call @f16(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f18(%x: i32) -> i32 {
  %0 = call @f17(%x) : (i32) -> i32
  %1 = call @f17(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f19(%x: i32) -> i32 {
  %0 = call @f18(%x) : (i32) -> i32
  %1 = call @f18(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f20(%x: i32) -> i32 {
  %0 = call @f19(%x) : (i32) -> i32
  %1 = call @f19(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f21(%x: i32) -> i32 {
  %0 = call @f20(%x) : (i32) -> i32
  %1 = call @f20(%0) : (i32) -> i32
  return %1 : i32
}
// expected-error@+1 {{inlining all calls would make more than 20000000 ops of function 'f22'}}
func.func private @f22(%x: i32) -> i32 {
  %0 = call @f21(%x) : (i32) -> i32
  %1 = call @f21(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f23(%x: i32) -> i32 {
  %0 = call @f22(%x) : (i32) -> i32
  %1 = call @f22(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f24(%x: i32) -> i32 {
  %0 = call @f23(%x) : (i32) -> i32
  %1 = call @f23(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f25(%x: i32) -> i32 {
  %0 = call @f24(%x) : (i32) -> i32
  %1 = call @f24(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f26(%x: i32) -> i32 {
  %0 = call @f25(%x) : (i32) -> i32
  %1 = call @f25(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f27(%x: i32) -> i32 {
  %0 = call @f26(%x) : (i32) -> i32
  %1 = call @f26(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f28(%x: i32) -> i32 {
  %0 = call @f27(%x) : (i32) -> i32
  %1 = call @f27(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f29(%x: i32) -> i32 {
  %0 = call @f28(%x) : (i32) -> i32
  %1 = call @f28(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @f30(%x: i32) -> i32 {
  %0 = call @f29(%x) : (i32) -> i32
  %1 = call @f29(%0) : (i32) -> i32
  return %1 : i32
}
func.func @explosion(%x: i32) -> i32 {
  %0 = call @f30(%x) : (i32) -> i32
  return %0 : i32
}
