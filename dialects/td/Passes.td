// The passes, their options, units and defaults. One record is all a pass needs on the MLIR side: the build script
// writes the C++ that hands the options to Rust, and the Rust types they arrive in, from these records.
#ifndef BALLAST_PASSES_TD
#define BALLAST_PASSES_TD

include "mlir/Pass/PassBase.td"
include "PassOptions.td"

class BallastPass<string arg> : Pass<arg, "::mlir::ModuleOp"> {
  // Devices are read and written as attributes of DLTI: a dialect cannot be loaded while passes run in parallel.
  let dependentDialects = ["::ballast::BallastDialect", "::mlir::DLTIDialect"];
}

def RlPartition : BallastPass<"rl-partition"> {
  let summary = "Partition a program over devices";
  let description = [{
    Lowers the function into an op sequence with a cost and a size for every op, cuts the sequence into one stage per device
    by dynamic programming, fine-tunes the cuts, and refines them with the chosen method. The result may only improve on
    the start. Every planned op gets a `ballast.device`; one that is there before is a rule of the user, which every placement keeps; calls of private helpers are inlined first, and where a loop as one op would
    take much of a device's share of the time, counted loops are opened (`loops`).

    ```mlir
    %0 = stablehlo.add %a, %b {ballast.device = #ballast.device<0>} : tensor<8xf32>
    %1 = stablehlo.tanh %0 {ballast.device = #ballast.device<1>} : tensor<8xf32>
    ```
  }];
  let options = [
    FunctionOption, DevicesOption, DynamicDimOption,
    Choice<"granularity", "granularity", Granularity, "What is moved as one.">,
    Choice<"order", "order", PartitionOrder, "Order of the op sequence.">,
    Choice<"method", "method", PartitionMethod, "How the partition is found.">,
    Choice<"refine", "refine", Refinement, "Who moves ops from the cut and the folded layers on, under `method=auto`.">,
    Flag<"useAllDevices", "use-all-devices", "false",
         "Must every device get an op, also where the slowest stage is faster with some of them idle?">,
    Count<"cores", "cores", "0", "0", "4096",
          "Cores of the one device to partition over: stages get groups of cores, every core is used, and `cap` bounds the "
          "memory of one core; 0: the device is planned as a whole.">,
    CapOption, CapCountsOption, FusionOption, HeapGapsOption, LoopsOption, TimeLimitOption, WorkLimitOption, SeedOption, ThreadsOption,
    Count<"episodes", "episodes", "50", "0", "1000000000", "Episodes the learner plays.">,
    Count<"maxSteps", "max-steps", "0", "0", "1000000000", "Steps after which an episode ends; 0: four times the layers and cores, at least 64.">,
    Real<"targetReward", "target-reward", "0.0", "-1e18", "0",
         "Reward at which an episode ends early; rewards are negative, so 0 never does.">,
    Choice<"setting", "setting", LearnerSetting, "How the learner is set up under `method=rl`.">,
    Choice<"reward", "reward", RewardKind, "What the learner is rewarded for, and its answer chosen by.">,
    Text<"weights", "weights", "1,1,1",
         "Weights of compute, memory and route load under `reward=weighted`: three numbers, at least 0, joined by commas.">,
    Real<"learningRate", "learning-rate", "0.001", "0", "1", "Step size of the learner's optimiser.">,
    Text<"network", "network", "", "Path of a saved network to start from.">,
    Text<"saveNetwork", "save-network", "", "Path to save the trained network and its configuration to.">,
    Count<"population", "population", "100", "2", "65536", "Placements in a generation of the genetic search.">,
    Count<"generations", "generations", "10000", "1", "1000000000000", "Generations the genetic search breeds at most.">,
    Count<"elite", "elite", "1", "0", "65536", "Best placements of a generation that live on; 0 for none.">,
    Real<"crossover", "crossover", "0.6", "0", "1", "Probability that a pair of placements is crossed.">,
    Real<"mutation", "mutation", "0.1", "0", "1", "Probability that a child is mutated.">,
    Choice<"fitness", "fitness", Fitness, "What the genetic search measures placements by.">,
    Text<"placementFile", "placement-file", "",
         "Path of a JSON file that names the device of every op, as `ballast lab genetic` writes it, or of a plan (`plan-file`), whose devices count: taken as it is, nothing is searched.">,
    GraphFileOption, ReportOption, ProfileOption, CountOption, ScheduleOption, StagesPerDeviceOption, MicroBatchesOption,
  ];
}

def Remat : BallastPass<"remat"> {
  let summary = "Plan each stage's memory: recomputation, swaps, under a cap";
  let description = [{
    Builds a mixed-integer program per stage over its op sequence, solves it, and writes the plan as `ballast.recompute`,
    `ballast.swap`, `ballast.position` and `ballast.cost` on ops and `ballast.plan` on the function. Where a cap was
    raised, where recomputation and swaps made the slowest stage slower, and while the stage times are out of balance by more than `max-ratio`, the
    partitioner is called again with what the plans came to, the same method and order, and the caps. A percentage is of what each stage needs
    in the partition given, and stays as many bytes when ops move. Ops that had a `ballast.device` before `--rl-partition` stay there (`pins` in the settings of
    `ballast.plan`), the others move; a program whose ops all have one and that has no `ballast.plan` is planned as it was placed. A program without
    `ballast.device` is one stage on the first device. Every plan is replayed by an independent judge before it is written.

    Where a program that is not partitioned, or is on one device, is over the cap, its counted loops are opened first (`loops`), and for XLA's compiler for CPUs some gradients written out (`gradients`)
    and products of 16-bit floats computed in `f32` (`products`); a share stays one of the peak before, copies for such products included. Where no plan of that keeps the cap and one of the program as it
    was, but for such products, needs less, or is faster under as large a cap, that one is taken and the program stays as it was; a remark (`AsBefore`) and a note in the plan say so.
    On one device under `fusion=xla-cpu` what is tried last is a plan without room for gaps of XLA's heap (`heap-gaps`); a remark (`HeapPlaced`) and a note say so.

    Where no plan keeps the cap, the cap is raised in steps, `cap_met = false` says so in the plan, and a warning names the cap asked for, the one
    used and the least possible, the op that binds, why, and what would help; `relax-limit=0` fails there instead. Where values may be stored in other ways than those that
    were tried, the least possible is said to be that of these ways, and no cap is said to have no plan.
  }];
  let options = [
    FunctionOption, DevicesOption, DynamicDimOption, CapOption, CapCountsOption, FusionOption, HeapGapsOption, StorageOption, LoopsOption,
    GradientsOption, ProductsOption,
    Choice<"solver", "solver", MemorySolver, "Who solves the memory plan.">,
    Choice<"order", "order", MemoryOrder, "Order in which the ops of a stage first run.">,
    Flag<"swap", "swap", "true", "May values go to host memory and back?">,
    Flag<"overlap", "overlap", "false",
         "Do transfers to the host run beside computation? If not, each counts in full.">,
    Count<"arena", "arena", "0", "0", "1073741824", "Alignment in bytes of one block per stage in which every buffer has its address: the cap holds for "
          "the block, gaps included, and the plan file has the addresses. 0: no block, the cap holds for live bytes.">,
    TimeLimitOption, WorkLimitOption, SeedOption, ThreadsOption,
    Real<"relaxStep", "relax-step", "0.05", "0.0001", "10", "Step by which a cap is raised, as a share of the cap asked for.">,
    Real<"relaxLimit", "relax-limit", "2.0", "0", "1000",
         "Largest cap to try, as a multiple of the cap asked for; 0: never raise it.", "0, or a number from 1 to 1000">,
    MaxRatioOption,
    Count<"maxRounds", "max-rounds", "16", "1", "1000000", "Rounds of partition and plan at most.">,
    Text<"modelFile", "model-file", "",
         "Path to write the mixed-integer program to, as `.lp` or `.mps`; stage numbers are put before the extension.">,
    Text<"planFile", "plan-file", "", "Path to write the plan to, as JSON.">,
    ReportOption,
    Count<"qRounds", "q-rounds", "2000", "0", "1000000000", "Iterations Q-learning learns from, per stage and cap tried; 0: the initial scheme is the plan as it is.">,
    Real<"qWeight", "q-weight", "0.5", "0", "1", "Weight of memory in the reward of Q-learning: 0 counts time alone, 1 memory alone.">,
    Real<"qEpsilon", "q-epsilon", "0.1", "0", "1", "Probability of a random action of Q-learning.">,
    Text<"qInitial", "q-initial", "best",
         "Scheme of the first round of Q-learning: `best` of the table gone on from, or no swaps; `none`; `all`; or a 0 (stays) or 1 (is swapped) for every "
         "tensor that may be swapped, in program order.">,
    Real<"qTarget", "q-target", "0.0", "0", "1000", "Reward at which Q-learning stops: 1 is the step without swaps, smaller is better; 0 for none.">,
    Real<"qAlpha", "q-alpha", "0.5", "0", "1", "Learning rate of Q-learning.">,
    Real<"qGamma", "q-gamma", "0.9", "0", "0.999999", "Discount of Q-learning.">,
    Text<"qTable", "q-table", "", "Path of the tables Q-learning goes on from; stage numbers are put before the extension.">,
    Text<"saveQTable", "save-q-table", "", "Path to save the tables of Q-learning to, one per stage, named as for `q-table`.">,
    GraphFileOption, ProfileOption, CountOption, ScheduleOption, StagesPerDeviceOption, MicroBatchesOption,
  ];
}

def BallastPlan : BallastPass<"ballast-plan"> {
  let summary = "Partition and plan memory, in turn, until neither gains";
  let description = [{
    Runs `--rl-partition` and then `--remat` with these options: partition, memory plan per stage under its activations in
    flight, score with recomputation and exposed swap time, cuts moved, until no move helps, the stages are within
    `max-ratio`, after `max-rounds` partitions, or at the deadline. Each half gets half of `time-limit`.

    `schedule=auto` plans under every schedule first, quickly, and takes the one with the shortest step: this takes a third of
    `time-limit`, and each half a third. A remark says what the others came to.
  }];
  let options = [
    FunctionOption, DevicesOption, DynamicDimOption, CapOption, CapCountsOption, FusionOption, HeapGapsOption, LoopsOption, ScheduleOption, StagesPerDeviceOption, MicroBatchesOption,
    Choice<"granularity", "granularity", Granularity, "What is moved as one.">,
    Flag<"swap", "swap", "true", "May values go to host memory and back?">,
    Flag<"overlap", "overlap", "false",
         "Do transfers to the host run beside computation? If not, each counts in full.">,
    TimeLimitOption, WorkLimitOption, SeedOption, ThreadsOption,
    MaxRatioOption,
    Count<"maxRounds", "max-rounds", "100", "1", "1000000", "Rounds of partition and plan at most.">,
    Text<"planFile", "plan-file", "", "Path to write the plan to, as JSON.">,
    ReportOption,
    ProfileOption, CountOption,
  ];
}

def BallastPlace : BallastPass<"ballast-place"> {
  let summary = "Place functions as training jobs on a cluster";
  let description = [{
    Every public function with a body is a training job: what each of its devices runs in a step. `ballast.job` says how many devices it
    needs and how many steps it runs, else the options do. Its time without a fault is the steps times the costs of its ops on the
    first of `devices`. The jobs are placed on the cluster's usable devices in the order of the module, as `ballast lab place` does; a job that
    does not find enough waits, and so do those after it. Writes `ballast.placement`.

    ```mlir
    func.func @a(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ballast.job = {devices = 2, steps = 1000}} { ... }
    // becomes
    func.func @a(%x: tensor<4xf32>) -> tensor<4xf32>
      attributes {ballast.job = {devices = 2, steps = 1000}, ballast.placement = {devices = ["d0", "d3"], seconds = 5.0e-3}} { ... }
    ```
  }];
  let options = [
    Text<"cluster", "cluster", "", "Path of the cluster file, JSON as for `ballast lab place`.">,
    Choice<"method", "method", PlacementMethod, "Who chooses the devices.">,
    Text<"network", "network", "", "Path of a network written by `ballast lab train place`, for `method=learned`, which it makes the default.">,
    Count<"jobDevices", "job-devices", "1", "1", "4096", "Devices of a job that does not say.">,
    Count<"steps", "steps", "1", "1", "1000000000000", "Steps of a job that does not say.">,
    DevicesOption, DynamicDimOption, ProfileOption, CountOption, SeedOption,
    Text<"placementFile", "placement-file", "", "Path to write the placement to, as JSON.">,
  ];
}

def BallastVerify : BallastPass<"ballast-verify"> {
  let summary = "Re-derive a plan from the IR alone, and fail on any lie in it";
  let description = [{
    Reads the `ballast.*` attributes of every function that has a plan, those of nested modules included, replays them, and compares
    costs, times, peaks and caps with what `ballast.plan` says. Changes nothing. `function` names a single one.

    What searching alone could show is taken on trust, as long as `checksum` says that it is what the planner wrote: bounds and their class (which
    must not be above the times of plans that are there for certain), stop, method, seed, the caps asked for, and measured times unless `profile` gives them
    again. A remark lists both. Warnings name caps above those asked for, and above the memory of their devices.
  }];
  let options = [
    FunctionOption, DevicesOption, ProfileOption,
    Text<"cap", "cap", "", "Cap that every stage must keep whatever the plan says was asked for: bytes with a unit, or a percentage of the "
         "stage's own unplanned peak; without it the caps of the plan.">,
  ];
}

def BallastReport : BallastPass<"ballast-report"> {
  let summary = "Write what a plan does, for people or programs";
  let description = [{
    Replays the plan of an annotated function and writes, per stage, times, peak, cap, recomputed and swapped ops. Changes nothing.
  }];
  let options = [
    FunctionOption, DevicesOption, ProfileOption,
    Choice<"format", "format", ReportFormat, "How the report is written.">,
    Text<"output", "output", "-", "Path to write to, `-` for standard error.">,
  ];
}

def BallastApply : BallastPass<"ballast-apply"> {
  let summary = "Rewrite a planned program into one that does what the plan says";
  let description = [{
    Recomputed ops are cloned before the op they serve and read their inputs through a `ballast.barrier`; swaps become
    `ballast.swap_out` and `ballast.swap_in`, and so do values that cross devices, which are staged on the host; numbers and vectors cross
    as tensors of one element. Views and
    constants are cloned with their readers. The program stays as rewritten under `--cse`, `--canonicalize` and a second run of
    this pass: `ballast.applied` on the function keeps the figures of the plan. A program edited after planning is refused, and so is a plan
    that `--ballast-verify` would refuse.

    ```mlir
    %0 = "some.relu"(%x) {ballast.recompute = #ballast.recompute<before = [2]>, ...} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "some.sum"(%0) : (tensor<8xf32>) -> tensor<f32>
    %2 = "some.relu_gradient"(%0, %1) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    // becomes
    %0 = "some.relu"(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "some.sum"(%0) : (tensor<8xf32>) -> tensor<f32>
    %2, %3 = ballast.barrier %1, %x : tensor<f32>, tensor<8xf32>
    %4 = "some.relu"(%3) : (tensor<8xf32>) -> tensor<8xf32>
    %5 = "some.relu_gradient"(%4, %2) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    ```
  }];
  let options = [CarriedOutOption];
  let dependentDialects = ["::ballast::BallastDialect", "::mlir::DLTIDialect", "::mlir::tensor::TensorDialect"];
}

def BallastOutline : BallastPass<"ballast-outline"> {
  let summary = "Cut a rewritten program into one program per device, with messages between them";
  let description = [{
    Cuts a function that carries out a plan (`ballast.applied`) where devices exchange values. What a device runs between two of its messages
    becomes a private function, a segment; a device may have several. The private function `NAME_deviceN` calls the segments of device N with
    `ballast.send` and `ballast.recv` between them, and takes the arguments its ops read; the function itself becomes the host: it calls all
    segments in one global order and hands values from one to the next, so that the module still is one runnable program.

    A value is sent right after it is made, and arrives in device memory where it is read next, else in host memory, from which it is copied
    when the plan says so. Every device meets its messages in the global order; the result is checked to have no deadlock even
    where a send waits for its receive. Views and constants are cloned to the devices that read them. A cut module is left alone.

    ```mlir
    func.func @main(%w: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @main_device0_segment0(%w) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = call @main_device1_segment0(%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    func.func private @main_device0(%w: tensor<4xf32>)
        attributes {ballast.program = #ballast.program<device = 0, devices = 2, arguments = [0]>} {
      %0 = call @main_device0_segment0(%w) : (tensor<4xf32>) -> tensor<4xf32>
      ballast.send %0 from 0 to 1 tag 0 : tensor<4xf32>
      return
    }
    ```
  }];
  let options = [FunctionOption];
  let dependentDialects = ["::ballast::BallastDialect", "::mlir::func::FuncDialect"];
}

def BallastRank : BallastPass<"ballast-rank"> {
  let summary = "Keep the program of one device of a cut module";
  let description = [{
    Keeps the program that `--ballast-outline` made for one device, with its segments inlined, and erases everything else. The messages of all
    devices are checked first: every send must have its receive, of the same type, and none may wait for ever.
  }];
  let options = [Count<"rank", "rank", "0", "0", "4096", "The device, which is the rank of the process that is to run the program.">];
}

def BallastMessages : BallastPass<"ballast-messages"> {
  let summary = "Turn messages of buffers into MPI's";
  let description = [{
    `ballast.send` of a buffer and `ballast.recv_into` become `mpi.send` and `mpi.recv` on `MPI_COMM_WORLD`, between calls of `ballast_wait` and
    `ballast_resume` of the run-time library, which time how long a rank waits for others. The module gets
    the attribute that tells MLIR's lowering of MPI to use Open MPI's names.

    ```mlir
    ballast.send %m from 0 to 1 tag 7 : memref<4x8xf32>
    // becomes
    %flat = memref.collapse_shape %m [[0, 1]] : memref<4x8xf32> into memref<32xf32>
    %comm = mpi.comm_world : !mpi.comm
    call @ballast_wait() : () -> ()
    mpi.send(%flat, %tag, %target, %comm) : memref<32xf32>, i32, i32
    call @ballast_resume() : () -> ()
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::mpi::MPIDialect", "::mlir::DLTIDialect"];
}

def BallastSplitOps : BallastPass<"ballast-split-ops"> {
  let summary = "Make one function per distinct op, to be timed alone";
  let description = [{
    Replaces the public functions by functions `op0`, `op1`, .. with one op each, one for every distinct op key (name, types and what else tells
    costs apart) of the function, in order of first occurrence. Values come as arguments; views and constants come along. Writes the
    keys as a JSON list. An op that takes or returns something else than tensors of static shape is left out, with a warning.
  }];
  let options = [FunctionOption, Text<"keysFile", "keys-file", "-", "Path to write the keys to, `-` for standard error.">];
  let dependentDialects = ["::ballast::BallastDialect", "::mlir::func::FuncDialect"];
}

def BallastStrip : BallastPass<"ballast-strip"> {
  let summary = "Remove plans and descriptions of targets";
  let description = [{
    Removes all `ballast.*` and `dlti.*` attributes: what runs a lowered program knows neither dialect.
  }];
}

def BallastToStablehlo : BallastPass<"ballast-to-stablehlo"> {
  let summary = "Carry out the plan of a StableHLO program, in StableHLO alone";
  let description = [{
    Runs `--ballast-apply`, then turns barriers into `stablehlo.optimization_barrier` and swaps into XLA's copies between memories
    (`annotate_device_placement` with the memory kinds `pinned_host` and `device`). A remark says how many copies depend on a
    client that has a separate host memory. XLA's CPU compiler drops barriers early unless it runs with
    `XLA_FLAGS=--xla_disable_hlo_passes=cse_barrier_expander`. Its compiler for GPUs drops them once it has scheduled, and must not be
    given that option: it has no code for a barrier.

    With `number-ops=true` every op has `loc("ballast.N")`, N the number of the op of the planned program that it runs: XLA keeps such names
    through its own rewriting, so what it stores can be told op by op.
  }];
  let options = [
    CarriedOutOption,
    Flag<"numberOps", "number-ops", "false", "Give every op the number of the op of the planned program as location?">,
  ];
}

def BallastToBuffers : BallastPass<"ballast-to-buffers"> {
  let summary = "Turn swaps into copies between memory spaces, for one-shot bufferization";
  let description = [{
    A copy on the host becomes a tensor in memory space 1, a copy back one in memory space 0; barriers have done their work and go. Messages
    send and receive buffers from here on.
    The order of ops is the order of execution from here on: `--cse` before bufferization would undo recomputation.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def BallastHostHeap : BallastPass<"ballast-host-heap"> {
  let summary = "Allocate buffers of memory space 1 on a heap of their own";
  let description = [{
    Allocations and deallocations in memory space 1 become calls of `ballast_host_alloc` and `ballast_host_free` of the
    run-time library, and their buffers ones of the default memory space.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect"];
}

def BallastKernels : BallastPass<"ballast-kernels"> {
  let summary = "Make a function of every op that is to become loops, of equal ones the same";
  let description = [{
    LLVM takes time that grows with the square of the loops of a function. Every linalg op on buffers, and every loop that holds none, moves into a
    private function that is called in its place and not inlined; the buffers are its arguments, constants go along, allocations
    stay where they are. Ops that differ only in the buffers they read and write share one function. A copy with strides counts as a linalg op.

    `keep=program` and `keep=kernels` name a function after a hash of what it does, so that a kernel that was compiled once serves every module that
    declares it.

    ```mlir
    linalg.fill ins(%zero : f32) outs(%x : memref<4xf32>)
    // becomes
    call @ballast_kernel0(%x) : (memref<4xf32>) -> ()
    ```
  }];
  let options = [Choice<"keep", "keep", KernelsKept, "What is kept.">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect"];
}

def BallastEntry : BallastPass<"ballast-entry"> {
  let summary = "Add a function that runs the program once";
  let description = [{
    Adds `ballast_entry`, for a function that takes and returns buffers: it fills the arguments from the seed, calls the
    function between `ballast_start` and `ballast_stop`, hands every result to `ballast_take`, and every buffer to `ballast_release`, all
    of the run-time library. The program of one device (`ballast.program`) is run as one MPI process of several: it starts when all of them
    do, and its arguments are filled as those of the whole program are.
  }];
  let options = [
    FunctionOption, Count<"seed", "seed", "0", "0", U64.most, "Seed of the arguments.">,
    Count<"runs", "runs", "1", "1", "1000000", "How often the function is called; the results are those of the last call.">,
    Flag<"each", "each", "false", "Call every public function in turn, each so often?">,
    Flag<"attached", "attached", "false",
         "Does a process call it that has started MPI, and will end it? If not, it does both itself.">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::mpi::MPIDialect"];
}

def BallastOutlineBody : BallastPass<"ballast-outline-body"> {
  let summary = "Make a function of what a loop repeats, so that it can be planned";
  let description = [{
    A step that sums gradients over micro-batches, or a loop over whole training steps, has forward and backward pass in one body. The body of the loop with most
    ops becomes a public function, `<name>_body`, which the loop calls: plan it with `function=`, and every iteration follows the plan. Calls
    of private helpers are inlined first.

    Arguments are what the loop carries, then what its body reads from outside; constants go along. What is carried on takes the buffers of
    what came in (`tf.aliasing_output`), as a loop's values do. A cap for the body is the device's less what is held around the loop.

    ```mlir
    %1:2 = "stablehlo.while"(%i, %x) ({ ... i < 1000 ... }, { ... "some.step"(%x), i + 1 ... })
    // becomes
    %1:2 = "stablehlo.while"(%i, %x) ({ ... i < 1000 ... }, { ... call @main_body(%i, %x) ... })
    ```

    A function without such a loop stays as it is, and a missed remark says so.
  }];
  let options = [
    Text<"function", "function", "", "Function whose loop it is, by symbol name; without it the only public function, or `main`.">,
    Text<"name", "name", "", "Name of the new function; without it that of the function with `_body` behind it.">,
    Count<"depth", "depth", "0", "0", "64", "How deep the loop is: 0 the one with most ops of the function, 1 the one with most ops inside that one, and so on.">,
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def BallastUnroll : BallastPass<"ballast-unroll"> {
  let summary = "Replace counted loops by their iterations";
  let description = [{
    To a planner a loop is one op. A `stablehlo.while` or `scf.for` whose number of iterations follows from constants becomes straight-line
    code: its body once per iteration, counters and indices as constants. Calls of private helpers are inlined first.

    What loops stack, slice by slice (`lax.scan` writes its outputs and what its gradient needs so), becomes the slices: a read at
    a known index reads what was written there, and a stack that nobody reads whole is gone. Where one is read whole or returned, its slices
    are put side by side.

    ```mlir
    %2:2 = "stablehlo.while"(%i, %x) ({ ... i < 2 ... }, { ... "some.layer"(%x), i + 1 ... })
    // becomes
    %0 = "some.layer"(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "some.layer"(%0) : (tensor<8xf32>) -> tensor<8xf32>
    ```

    A loop that stays whole is named in a missed remark, with the reason and the bytes it carries from one iteration to the next.
  }];
  let options = [
    Count<"maxOps", "max-ops", "50000", "1", "16777216", "Ops that the loops of a function may become in all, those inside regions included.">,
    Choice<"nested", "nested", NestedLoops, "Which loops are opened where not all may be.">,
    Text<"function", "function", "", "Function whose loops are opened, by symbol name; without it those of every function.">,
  ];
}

def BallastPairLoops : BallastPass<"ballast-pair-loops"> {
  let summary = "Keep or compute again what one loop stacks for another, in both loops";
  let description = [{
    `lax.scan` and its gradient are two loops: the forward loop writes a slice of every stack in each iteration (`stablehlo.dynamic_update_slice` at
    its counter), the backward loop carries the stacks unchanged and reads the slices of one iteration, mostly the mirrored one, in each of its own. This pass finds such
    pairs of `stablehlo.while`, and decides which stacks are kept so that as little as possible is computed again under `cap`: one iteration's
    problem, solved exactly where time allows. Calls of private helpers are inlined first.

    What is not kept is gone from what both loops carry; the ops it is made of are cloned into the backward loop, where they read the slices that are kept, weights at the index of
    the forward iteration, and what both loops have. Any value of an iteration may get a stack of its own, such as the value carried into it. What must
    not run twice is kept: random numbers with a state of their own, side effects, collectives, custom calls, and ops with `ballast.never_recompute` or `ballast.must_keep`.

    ```mlir
    %1:3 = "stablehlo.while"(%i, %x, %stack) ({ ... }, { ... %s = "stablehlo.dynamic_update_slice"(%stack, %residual, %i) ... })
    %2:3 = "stablehlo.while"(%j, %g, %1#2) ({ ... }, { ... "stablehlo.dynamic_slice"(%stack, 11 - %j) ... })
    // becomes
    %1:3 = "stablehlo.while"(%i, %x, %carries) ({ ... }, { ... %s = "stablehlo.dynamic_update_slice"(%carries, %x, %i) ... })
    %2:3 = "stablehlo.while"(%j, %g, %1#2) ({ ... }, { ... %x = "stablehlo.dynamic_slice"(%carries, 11 - %j); the residual from %x ... })
    ```

    A loop in no pair stays as it is, and a missed remark says why: its iterations cannot be counted, no later loop alone reads what it
    stacks, or it is inside a branch or a loop that is in a pair itself. Bodies of counted loops in no pair are looked into. A stack that is read by anything else, or not slice by slice, stays; it does not count.
  }];
  let options = [
    Text<"cap", "cap", "", "Cap of all stacks that only pairs of loops use: bytes with a unit, such as `8GiB`, or a percentage of what these take, such as "
         "`60%`; without it what they take. Where no choice keeps it, that with the fewest bytes is taken, and a warning says so.">,
    Text<"function", "function", "", "Function whose loops are paired, by symbol name; without it the only public function, or `main`.">,
    Text<"planFile", "plan-file", "", "Path to write what was decided to as JSON; `-` is standard error.">,
    Real<"timeLimit", "time-limit", "10", "0", "1e9", "Seconds that the decision may take.">,
  ];
}

def BallastDepthwiseGradients : BallastPass<"ballast-depthwise-gradients"> {
  let summary = "Write kernel gradients of depthwise convolutions as sums over products";
  let description = [{
    Replaces every `stablehlo.convolution` with as many batch groups as channels, laid out as `[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]`, which is how the gradient of a
    depthwise kernel is exported: every position of the kernel becomes a sum over the product of the gradient and a strided slice of the image. The results
    are the same up to the order of the sums. XLA's CPU compiler computes such a gradient for all pairs of channels and drops most of them: the square of the channels in memory,
    twice, and as often the operations.

    ```mlir
    %0 = "stablehlo.convolution"(%x, %dy) <{batch_group_count = 64, ...
    // becomes, for each position of the kernel
    %1 = "stablehlo.slice"(%padded) ...
    %2 = "stablehlo.multiply"(%1, %dy) ...
    %3 = "stablehlo.reduce"(%2, %zero) ...
    ```

    Gradients of kernels with several features per channel, with more than 64 positions, or of elements other than `f32` and `f64` stay as they are, and a remark says why.
  }];
}

def BallastWideProducts : BallastPass<"ballast-wide-products"> {
  let summary = "Compute products and convolutions of 16-bit floats in f32";
  let description = [{
    Replaces every `stablehlo.dot_general`, `stablehlo.dot` and `stablehlo.convolution` of `bf16` or `f16` by one in `f32`, on operands that are converted once for all products
    of a block, and a conversion of its result back. XLA's CPU compiler does the same when it compiles them; written out, what it holds for them can be planned.

    ```mlir
    %0 = "stablehlo.dot_general"(%x, %w) ... : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
    // becomes
    %1 = "stablehlo.convert"(%x) : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %2 = "stablehlo.convert"(%w) : (tensor<8x2xbf16>) -> tensor<8x2xf32>
    %3 = "stablehlo.dot_general"(%1, %2) ... : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %0 = "stablehlo.convert"(%3) : (tensor<4x2xf32>) -> tensor<4x2xbf16>
    ```

    Products with an `algorithm`, of operands of other types, or with a result in `f32` stay as they are.
  }];
}

def BallastGatherGradients : BallastPass<"ballast-gather-gradients"> {
  let summary = "Write gradients of gathers that pick one element per row as selections";
  let description = [{
    Replaces every `stablehlo.scatter` into zeros that brings at most one element to each row, as the gradient of `take_along_axis(log_p, labels)` or `log_p[arange(n), labels]`
    does, by a selection: where the position is that of the label, the element, and zero everywhere else. Sums over such a row, or over it negated, become the element. The
    results are the same (but for the sign of a zero). A scatter and the zeros it starts from are stored, each as large as the rows, which with a vocabulary of 50 000 words may be most of what a step
    needs; a selection is fused into what reads it.

    ```mlir
    %0 = "stablehlo.scatter"(%zeros, %labels, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], ...
    // becomes
    %1 = "stablehlo.iota"() <{iota_dimension = 2 ...
    %2 = "stablehlo.compare"(%1, %labels_everywhere) <{comparison_direction = EQ ...
    %3 = "stablehlo.select"(%2, %updates_everywhere, %zeros)
    ```

    Scatters of whole rows, such as the gradient of an embedding, are left alone; others stay as they are, and a remark says why. Functions that hand such a gradient on, as those of `jax.nn`
    do, are inlined before by `--ballast-inline`, so that the sums over it are seen.
  }];
}

def BallastPoolGradients : BallastPass<"ballast-pool-gradients"> {
  let summary = "Write gradients of max pooling as elementwise ops";
  let description = [{
    Replaces every `stablehlo.select_and_scatter` that selects the first of the largest elements of a window (`GE`) and adds: by comparisons of
    strided slices that give a byte per window, the position it chose, and by a sum over the positions of a window. The results are the same, bit for bit
    (but for the sign of a zero). XLA's CPU compiler holds one 32-bit index per dimension of every element of the operand for such an op, which in a
    convolutional network is most of its memory; written out, the operand itself need not be there any more.

    ```mlir
    %0 = "stablehlo.select_and_scatter"(%x, %dy, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>, ...
    // becomes, for each of the four positions of the window
    %1 = "stablehlo.slice"(%x) ...
    %2 = "stablehlo.compare"(%largest, %1) ...
    // and
    %3 = "stablehlo.compare"(%chosen, %number) ...
    %4 = "stablehlo.select"(%3, %dy, %none) ...
    %5 = "stablehlo.pad"(%4, %zero) ...
    ```

    One that selects or joins otherwise, or has a window of more than 64 positions, stays, with a missed remark.
  }];
}

def BallastInline : BallastPass<"ballast-inline"> {
  let summary = "Inline calls of private single-block functions";
  let description = [{
    Replaces every `func.call` of a private function of one block by the function's body, callees of callees included,
    and erases private functions that nothing refers to any more. Unlike upstream `--inline` it also takes bodies with
    unregistered ops. Calls inside regions are inlined too. A recursive call stays, with a remark; so does a call of a function without a body or with
    several blocks. `ballast.device` and the rules of the user on a call hold for every op of the callee but constants. Locations of inlined ops name the call they were inlined at.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "some.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // becomes
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "some.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
}

#endif // BALLAST_PASSES_TD
