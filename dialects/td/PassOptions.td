// The kinds of options of passes, the names that some take, and the options that mean the same in every pass.
#ifndef BALLAST_PASS_OPTIONS_TD
#define BALLAST_PASS_OPTIONS_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Kinds of options
//===----------------------------------------------------------------------===//

// The largest number there is: every one has a meaning.
def U64 { string most = "18446744073709551615"; }

// The pass documentation mlir-tblgen writes names neither type nor default, so descriptions of options do.
class Text<string var, string arg, string default, string desc>
    : Option<var, arg, "std::string", "\"" # default # "\"",
             desc # " Text" # !if(!empty(default), ", none by default.", ", default `" # default # "`.")>;
// Numbers come with the least and the largest that makes sense: the build script writes the one check of them, which runs before the
// pass does, and both are said in the description.
class Real<string var, string arg, string default, string least, string most, string desc,
           string range = "Number from " # least # " to " # most>
    : Option<var, arg, "double", default, desc # " " # range # ", default " # default # "."> {
  string low = least;
  string high = most;
}
class Count<string var, string arg, string default, string least, string most, string desc>
    : Option<var, arg, "uint64_t", default,
             desc # " Whole number" # !if(!eq(most, U64.most), "", " from " # least # " to " # most) # ", default " # default # "."> {
  string low = least;
  string high = most;
}
class Flag<string var, string arg, string default, string desc>
    : Option<var, arg, "bool", default, desc # " `true` or `false`, default `" # default # "`.">;

// One value of an option that takes a name.
class Value<string sym, string text, string desc> {
  string symbol = sym;
  string name = text;
  string summary = desc;
}

// The names an option may take; becomes an enum in C++ and in Rust.
class Choices<string name, string desc, list<Value> vals> {
  string enumName = name;
  string summary = desc;
  list<Value> values = vals;
}

// An option that takes one of a list of names; the first is the default.
class Choice<string var, string arg, Choices allowed, string desc>
    : Option<var, arg, "::ballast::" # allowed.enumName,
             "::ballast::" # allowed.enumName # "::" # !head(allowed.values).symbol,
             desc # " One of " #
               !interleave(!foreach(v, allowed.values, "`" # v.name # "` (" # v.summary # ")"), ", ") #
               ", default `" # !head(allowed.values).name # "`.",
             "::llvm::cl::values(" #
               !interleave(!foreach(v, allowed.values, "clEnumValN(::ballast::" # allowed.enumName # "::" # v.symbol #
                                    ", \"" # v.name # "\", \"" # v.summary # "\")"), ", ") # ")"> {
  Choices choices = allowed;
}

//===----------------------------------------------------------------------===//
// Options that mean the same in every pass
//===----------------------------------------------------------------------===//

def Granularity : Choices<"Granularity", "What is moved as one", [
    Value<"Op", "op", "single ops">,
    Value<"Layer", "layer", "a contraction or convolution with what follows it">]>;
def PartitionOrder : Choices<"PartitionOrder", "Order of the op sequence that is cut", [
    Value<"Program", "program", "as written">,
    Value<"Memory", "memory", "a topological order with a low memory peak">]>;
def PartitionMethod : Choices<"PartitionMethod", "How a partition is found", [
    Value<"Auto", "auto", "the cut, the folded layers of a training step and a free search from both; the fastest is kept">,
    Value<"Dp", "dp", "dynamic programming and fine-tuning alone">,
    Value<"Rl", "rl", "REINFORCE on top of it">,
    Value<"Genetic", "genetic", "a genetic search on top of it">,
    Value<"Exact", "exact", "a search with proof over all pipelines the program's data allows">]>;
def Refinement : Choices<"Refinement", "Who moves ops under `method=auto`", [
    Value<"Annealing", "annealing", "simulated annealing: groups, devices and kinds of moves are drawn by fixed odds">,
    Value<"Learned", "learned", "the same under moves that a policy proposes, which learns on the program at hand">,
    Value<"NoRefinement", "none", "nobody: the better of the cut and the folded layers is the answer">]>;
def Fitness : Choices<"Fitness", "What the genetic search measures placements by", [
    Value<"Loads", "loads", "the slowest stage with its transfers">,
    Value<"Predicted", "predicted", "predicted times alone, transfers free">]>;
def RewardKind : Choices<"RewardKind", "What the learner is rewarded for", [
    Value<"MaxTime", "max-time", "the time of the slowest stage">,
    Value<"Weighted", "weighted", "the weighted sum of the largest compute, memory and route load">]>;
def LearnerSetting : Choices<"LearnerSetting", "How the learner is set up", [
    Value<"Ours", "ours", "weights shared between pairs of neighbours, trained before, eight environments">,
    Value<"Published", "published", "the source's: flat state, 2n-128-128-4(n-1), uniform start, one environment, learning in every episode">]>;
def Counting : Choices<"Counting", "How operations are counted", [
    Value<"TwoMac", "2mac", "two per multiply-add">,
    Value<"Exact", "exact", "k multiplications and k-1 additions per dot product of length k">]>;
def MemoryOrder : Choices<"MemoryOrder", "Order in which a stage's ops first run", [
    Value<"Program", "program", "as in the op sequence">,
    Value<"Free", "free", "any topological order">]>;
def MemorySolver : Choices<"MemorySolver", "Who solves the memory plan", [
    Value<"Auto", "auto", "the exact program where it is small enough, else search with a proven bound">,
    Value<"Milp", "milp", "the mixed-integer program over critical positions">,
    Value<"Stepwise", "stepwise", "the full time-indexed mixed-integer program, for small stages">,
    Value<"LocalSearch", "local-search", "local search">,
    Value<"Greedy", "greedy", "evict and recompute, the cheapest per byte first">,
    Value<"SqrtN", "sqrt-n", "keep about the square root of a chain's values">,
    Value<"Gaps", "gaps", "the covering program over gaps between uses of a value">,
    Value<"Chain", "chain", "the optimal dynamic program, for chains of layers with one gradient each">,
    Value<"KeepAll", "keep-all", "nothing is recomputed or swapped">,
    Value<"QLearning", "q-learning", "swaps learned by Q-learning">,
    Value<"Vdnn", "vdnn", "every tensor a forward convolution reads is swapped">,
    Value<"Capuchin", "capuchin", "swap or recompute, the cheapest absence over the peak first">]>;
def FusionModel : Choices<"FusionModel", "Which values the back end stores", [
    Value<"Auto", "auto", "as in an earlier plan; without one, `xla` for StableHLO, `none` for everything else; where no plan keeps the cap with fused ops whole, `--remat` divides those that alone are above what the caps leave for one, on one device then those above half and a quarter of that, and takes `spread` where this is not enough">,
    Value<"None", "none", "every op's, as MLIR's own route to native code does">,
    Value<"Spread", "spread", "every op's but of those that only spread a value or count positions (`broadcast_in_dim`, `iota`), which a loop makes where it reads them">,
    Value<"Xla", "xla", "those that XLA does not fuse; results are held throughout, as XLA holds them">,
    Value<"XlaCpu", "xla-cpu", "those of a rewritten program under XLA's CPU compiler, and the copies this makes around single ops">,
    Value<"XlaCpuAsIs", "xla-cpu-as-is", "the same of the program as it is: a stored value may be computed once more for some of its readers">,
    Value<"XlaGpu", "xla-gpu", "those of XLA's compiler for GPUs, whose kernels work on whole rows: nothing between the operand of a softmax or a normalisation and its result">]>;
def CapCounts : Choices<"CapCounts", "What a cap counts", [
    Value<"All", "all", "arguments, results and temporaries">,
    Value<"Temp", "temp", "temporaries alone, what XLA calls the temp size">]>;
def PipelineSchedule : Choices<"PipelineSchedule", "How micro-batches pass through the stages", [
    Value<"NoPipeline", "none", "no micro-batches: one step, stage after stage">,
    Value<"GPipe", "gpipe", "all forward passes, then all backward passes">,
    Value<"OneForwardOneBackward", "1f1b", "one forward and one backward in turn">,
    Value<"Interleaved", "interleaved", "1f1b with several stages per device">,
    Value<"ZeroBubble", "zero-bubble", "1f1b with the gradients of weights put off to fill the drain">,
    Value<"Shortest", "auto", "the one of `1f1b`, `zero-bubble` and `interleaved` with the shortest step under the caps; of `--ballast-plan` alone">]>;
def PlacementMethod : Choices<"PlacementMethod", "Who chooses the devices of a training job", [
    Value<"Auto", "auto", "`learned` where `network` is given, else `first-fit`, as for `ballast lab place`">,
    Value<"FirstFit", "first-fit", "the usable devices that come first">,
    Value<"Random", "random", "any usable devices">,
    Value<"CapacityAware", "capacity-aware", "the fastest">,
    Value<"InterferenceAware", "interference-aware", "on the hosts with the fewest other jobs">,
    Value<"FaultGreedy", "fault-greedy", "those with the lowest failure rate in the cluster file">,
    Value<"Learned", "learned", "a trained policy">]>;
def NestedLoops : Choices<"NestedLoops", "Which loops are opened where not all may be", [
    Value<"Outer", "outer", "outer loops first; loops inside one that stays whole stay too">,
    Value<"Inner", "inner", "inner loops first">]>;
def LoopHandling : Choices<"LoopHandling", "What becomes of counted loops", [
    Value<"Auto", "auto", "opened like `--ballast-unroll` does, where a loop as one op would stand in the plan's way: on several devices, where loops take more than a quarter of a device's fair share of the time and their ops one by one are faster than that, or, in `--remat`, where a program that is not partitioned, or is on one device, is over the cap">,
    Value<"Whole", "whole", "each is one op">]>;
def GradientHandling : Choices<"GradientHandling", "What becomes of gradients of max pooling, of depthwise kernels and of gathers of one element per row", [
    Value<"Auto", "auto", "written out like `--ballast-pool-gradients`, `--ballast-depthwise-gradients` and `--ballast-gather-gradients` do under `fusion=xla-cpu`, where a program that is not partitioned, or is on one device, is over the cap: XLA's compiler for CPUs holds many times what they come to">,
    Value<"Whole", "whole", "each is one op">]>;
def ProductHandling : Choices<"ProductHandling", "What becomes of products of 16-bit floats", [
    Value<"Auto", "auto", "computed in `f32` like `--ballast-wide-products` writes them under `fusion=xla-cpu`, where a program that is not partitioned, or is on one device, is over the cap: XLA's compiler for CPUs computes them so, and a plan makes its copies of operands again where they are needed">,
    Value<"Whole", "whole", "each is one op">]>;
def HeapGaps : Choices<"HeapGaps", "What room there is for gaps between the buffers of XLA's heap", [
    Value<"Room", "true", "one more of the largest value and of some smaller ones, and on one device, where no plan keeps the cap with it, as `placed`">,
    Value<"Placed", "placed", "values take what they do where XLA's heap is known to place them, and nothing more">,
    Value<"NotCounted", "false", "none: for whoever measures a plan and asks for another">]>;
def KernelsKept : Choices<"KernelsKept", "What is kept of a module whose loops became kernels", [
    Value<"All", "all", "the program and its kernels">,
    Value<"Program", "program", "the program; kernels are declared, by names that say what they do">,
    Value<"Kernels", "kernels", "the kernels by these names, to be called from other modules">]>;
def ReportFormat : Choices<"ReportFormat", "How a report is written", [
    Value<"Table", "table", "for people">,
    Value<"Json", "json", "for programs">]>;

def FunctionOption : Text<"function", "function", "",
    "Function to plan, by symbol name; without it the only public function, or `main`.">;
def CarriedOutOption : Text<"function", "function", "",
    "Function whose plan is carried out, by symbol name; without it every one that has a plan.">;
def DevicesOption : Text<"devices", "devices", "",
    "Devices to plan for: a count of default devices, a ready-made kind or several of one, such as `8xv100-16gb`, or the path of a TOML file that "
    "describes them; without it the module's `dlti.target_system_spec`, and without that one default device.">;
def DynamicDimOption : Count<"dynamicDim", "dynamic-dim", "0", "0", "1099511627776",
    "Size to take for every dynamic dimension; 0 refuses them.">;
def ProfileOption : Text<"profile", "profile", "",
    "Path of a JSON file of measured op times; ops it does not list are priced by formula.">;
def GraphFileOption : Text<"graphFile", "graph-file", "",
    "Path to write the program as planned to, as a JSON graph, for `ballast replan` and `ballast lab swaps`.">;
def ReportOption : Text<"report", "report", "",
    "Path to write the plan to as one HTML page, as `ballast report --html` does from a plan file.">;
def CountOption : Choice<"count", "count", Counting, "How operations are counted.">;
def CapOption : Text<"cap", "cap", "",
    "Memory cap of each stage: bytes with a unit, such as `8GiB`, or a percentage of the stage's own unplanned peak, such as "
    "`60%`; a number without either is bytes: `60` is 60 bytes. Without it the device's memory.">;
def FusionOption : Choice<"fusion", "fusion", FusionModel, "Which values the back end stores.">;
def HeapGapsOption : Choice<"heapGaps", "heap-gaps", HeapGaps, "Room for gaps between buffers of XLA's heap under `fusion=xla-cpu`.">;
def StorageOption : Text<"storage", "storage", "",
    "Path of a JSON file of what the back end was measured to hold for single ops, beyond what is predicted; ops it does not list are predicted.">;
def CapCountsOption : Choice<"capCounts", "cap-counts", CapCounts, "What a cap and a peak count.">;
def LoopsOption : Choice<"loops", "loops", LoopHandling, "What becomes of loops whose iterations can be counted.">;
def GradientsOption : Choice<"gradients", "gradients", GradientHandling, "What becomes of gradients of max pooling, of depthwise kernels and of gathers of one element per row.">;
def ProductsOption : Choice<"products", "products", ProductHandling, "What becomes of products and convolutions of 16-bit floats.">;
def TimeLimitOption : Real<"timeLimit", "time-limit", "0.0", "0", "1e9",
    "Wall-clock limit of the search in seconds; 0: 60 seconds, or no clock at all where `work-limit` is set.">;
def WorkLimitOption : Count<"workLimit", "work-limit", "0", "0", U64.most,
    "Limit on search steps, the same on every machine; 0 for none. With it and no `time-limit`, the same input and seed "
    "give the same bytes.">;
def SeedOption : Count<"seed", "seed", "0", "0", U64.most, "Seed of every random choice.">;
def ThreadsOption : Count<"threads", "threads", "0", "0", "1024",
    "Threads to search with, no more than this machine runs at once; 0: as many as that.">;
def ScheduleOption : Choice<"schedule", "schedule", PipelineSchedule,
    "Schedule of a pipeline; other than `none`, the program is one micro-batch of a training step.">;
def StagesPerDeviceOption : Count<"stagesPerDevice", "stages-per-device", "2", "2", "64",
    "Stages of every device under `schedule=interleaved`; of no meaning under the others.">;
def MicroBatchesOption : Count<"microBatches", "micro-batches", "8", "1", "4096",
    "Micro-batches of a step; of no meaning under `schedule=none`.">;
def MaxRatioOption : Real<"maxRatio", "max-ratio", "1.1", "1", "1e18",
    "Load balance to aim for: slowest over fastest stage time.">;

#endif // BALLAST_PASS_OPTIONS_TD
