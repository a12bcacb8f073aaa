// Nonsense in an attribute is refused where it stands.
// RUN: ballast-opt %s --allow-unregistered-dialect -verify-diagnostics -split-input-file

func.func @mistyped_name_is_refused_with_the_name_meant(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{unknown attribute 'ballast.recompile': did you mean 'ballast.recompute'?}}
  %0 = math.exp %x {ballast.recompile = #ballast.recompute<before = [3]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unregistered_op_is_checked_too(%x: tensor<4xf32>) {
  // expected-error@+1 {{unknown attribute 'ballast.devise': did you mean 'ballast.device'?}}
  "other.op"(%x) {ballast.devise = 1} : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{unknown attribute 'ballast.x'}}
module attributes {ballast.x} {
}

// -----

func.func @device_is_no_plain_integer(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.device' must be #ballast.device<0>, not 1 : i64}}
  "other.op"(%x) {ballast.device = 1} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @device_is_not_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{'device' must not be negative, but is -1}}
  "other.op"(%x) {ballast.device = #ballast.device<-1>} : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{'ballast.device' belongs on an op}}
func.func @device_belongs_on_ops(%x: tensor<4xf32>) attributes {ballast.device = #ballast.device<0>} {
  return
}

// -----

func.func @position_is_a_64_bit_integer(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.position' must be a 64-bit integer that is not negative, not 1 : i32}}
  "other.op"(%x) {ballast.position = 1 : i32} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @position_is_not_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.position' must be a 64-bit integer that is not negative, not -1 : i64}}
  "other.op"(%x) {ballast.position = -1} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @recompute_needs_a_position(%x: tensor<4xf32>) {
  // expected-error@+1 {{'before' needs at least one position}}
  "other.op"(%x) {ballast.recompute = #ballast.recompute<before = []>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @recompute_positions_ascend(%x: tensor<4xf32>) {
  // expected-error@+1 {{'before' must ascend strictly, but 7 follows 7}}
  "other.op"(%x) {ballast.recompute = #ballast.recompute<before = [3, 7, 7]>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @recompute_positions_are_not_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{'before' has position -2: positions are not negative}}
  "other.op"(%x) {ballast.recompute = #ballast.recompute<before = [-2]>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @recompute_lies_behind_the_op(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.recompute' before position 3 is not behind the op's own position 3}}
  "other.op"(%x) {ballast.position = 3, ballast.recompute = #ballast.recompute<before = [3]>} : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{argument 0: 'ballast.recompute' belongs on an op}}
func.func @arguments_are_not_recomputed(%x: tensor<4xf32> {ballast.recompute = #ballast.recompute<before = [3]>}) {
  return
}

// -----

func.func @recompute_keeps_the_rule_against_it(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.recompute' breaks the rule 'ballast.never_recompute' on the same value}}
  "other.op"(%x) {ballast.never_recompute, ballast.recompute = #ballast.recompute<before = [3]>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @must_keep_rules_out_swaps(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.swap' breaks the rule 'ballast.must_keep' on the same value}}
  "other.op"(%x) {ballast.must_keep, ballast.swap = #ballast.swap<out_after = 1, in_before = [3]>} : (tensor<4xf32>) -> ()
  return
}

// -----

// An argument is where the ops that read it run, and stays there.
// expected-error@+1 {{argument 1: 'ballast.swap' belongs on an op}}
func.func @arguments_are_not_swapped(%x: tensor<4xf32>, %y: tensor<4xf32> {ballast.swap = #ballast.swap<out_after = 1, in_before = [3]>}) {
  return
}

// -----

// expected-error@+1 {{argument 0: 'ballast.device' belongs on an op}}
func.func @arguments_are_not_placed(%x: tensor<4xf32> {ballast.device = #ballast.device<1>}) {
  return
}

// -----

func.func @swap_comes_back_after_it_left(%x: tensor<4xf32>) {
  // expected-error@+1 {{a value that leaves after position 5 cannot be back before position 5}}
  "other.op"(%x) {ballast.swap = #ballast.swap<out_after = 5, in_before = [5, 9]>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @swap_comes_back(%x: tensor<4xf32>) {
  // expected-error@+1 {{'in_before' needs at least one position}}
  "other.op"(%x) {ballast.swap = #ballast.swap<out_after = 5, in_before = []>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @swap_leaves_at_a_position(%x: tensor<4xf32>) {
  // expected-error@+1 {{'out_after' must be a position, not -2}}
  "other.op"(%x) {ballast.swap = #ballast.swap<out_after = -2, in_before = [5]>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @swap_needs_both_fields(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected ','}}
  "other.op"(%x) {ballast.swap = #ballast.swap<out_after = 2>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @receives_stand_by_device(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.receives' must be [#ballast.receive<device = 1, position = 0>] with ascending devices, not}}
  "other.op"(%x) {ballast.receives = [#ballast.receive<device = 2, position = 0>, #ballast.receive<device = 1, position = 0>]} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @receives_are_not_empty(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.receives' must be}}
  "other.op"(%x) {ballast.receives = []} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @receives_are_on_other_devices(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.receives' names device 1, which runs the op itself}}
  "other.op"(%x) {ballast.device = #ballast.device<1>, ballast.receives = [#ballast.receive<device = 1, position = 0>]} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @received_again_after_the_first_time(%x: tensor<4xf32>) {
  // expected-error@+1 {{cannot be received again before position 4}}
  "other.op"(%x) {ballast.receives = [#ballast.receive<device = 1, position = 4, again_before = [4]>]} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @cost_is_not_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{'seconds' must be a finite number of seconds that is not negative, not -1}}
  "other.op"(%x) {ballast.cost = #ballast.cost<seconds = -1.0, flops = 1, bytes = 1>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @cost_is_finite(%x: tensor<4xf32>) {
  // expected-error@+1 {{'seconds' must be a finite number of seconds that is not negative, not nan}}
  "other.op"(%x) {ballast.cost = #ballast.cost<seconds = 0x7FF8000000000000, flops = 1, bytes = 1>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @work_is_not_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{'bytes' must not be negative, but is -1}}
  "other.op"(%x) {ballast.cost = #ballast.cost<seconds = 1.0, flops = 1, bytes = -1>} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @rules_have_no_value(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.must_keep' must be a unit attribute, not true}}
  "other.op"(%x) {ballast.must_keep = true} : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-error@+1 {{result 0: 'ballast.must_keep' does not belong on a function result}}
func.func @results_carry_nothing(%x: tensor<4xf32>) -> (tensor<4xf32> {ballast.must_keep}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'device' 2 is none of the 2 'devices'}}
func.func @program_of_a_device_too_many() attributes {ballast.program = #ballast.program<device = 2, devices = 2>} { return }

// -----

// expected-error@+1 {{'results' must ascend strictly, but 1 follows 1}}
func.func @program_returns_twice() attributes {ballast.program = #ballast.program<device = 0, devices = 2, results = [1, 1]>} { return }

// -----

func.func @program_is_a_function(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ballast.program' belongs on a function}}
  "other.op"(%x) {ballast.program = #ballast.program<device = 0, devices = 2>} : (tensor<4xf32>) -> ()
  return
}
