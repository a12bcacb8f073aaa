// Attributes that carry a plan: where an op runs, when it runs again, when its value is swapped, at what cost.
#ifndef BALLAST_ATTRIBUTES_TD
#define BALLAST_ATTRIBUTES_TD

include "Dialect.td"

class Ballast_Attr<string name, string attrMnemonic> : AttrDef<Ballast_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

// A double that prints and parses back to the same bits.
class NumberParameter<string desc> : AttrParameter<"::llvm::APFloat", desc> {
  let comparator = "$_lhs.bitwiseIsEqual($_rhs)";
  let parser = "::ballast::parseNumber($_parser)";
  let syntax = "float";
}

// True unless it says otherwise.
def TrueUnlessSaid : DefaultValuedParameter<"bool", "true", "do all stages keep the caps asked for?">;

// False unless it says otherwise.
def FalseUnlessSaid : DefaultValuedParameter<"bool", "false", "does the bound rest on the branch and bound of HiGHS?">;

class OptionalNumberParameter<string desc> : NumberParameter<desc> {
  let defaultValue = "::llvm::APFloat(-1.0)";
}

// Op-sequence positions; the empty list parses, so that the verifier can speak about it.
def PositionList : AttrParameter<"::llvm::ArrayRef<int64_t>",
                                 "op-sequence positions, strictly ascending, at least one"> {
  let allocator = [{$_dst = $_allocator.copyInto($_self);}];
  let cppStorageType = "::llvm::SmallVector<int64_t>";
  let parser = "::ballast::parsePositions($_parser)";
  let printer = "::ballast::printPositions($_printer, $_self)";
  let syntax = "`[` int (`,` int)* `]`";
}

// Stages in brackets, each without the `#ballast.stage` it would carry alone.
def StageList : AttrParameter<"::llvm::ArrayRef<::ballast::StageAttr>", "one per device in use, ascending by device"> {
  let allocator = [{$_dst = $_allocator.copyInto($_self);}];
  let cppStorageType = "::llvm::SmallVector<::ballast::StageAttr>";
  let parser = "::ballast::parseStages($_parser)";
  let printer = "::ballast::printStages($_printer, $_self)";
  let syntax = "`[` stage (`,` stage)* `]`";
}

// The same, left out when empty.
def OptionalPositionList : OptionalArrayRefParameter<"int64_t", "op-sequence positions, strictly ascending"> {
  let parser = "::ballast::parsePositions($_parser)";
  let printer = "::ballast::printPositions($_printer, $_self)";
  let syntax = "`[` int (`,` int)* `]`";
}

def Ballast_StopReason : I32Enum<"StopReason", "Why the search for a plan stopped", [
    I32EnumCase<"Proved", 0, "proved">,
    I32EnumCase<"Finished", 1, "finished">,
    I32EnumCase<"TimeLimit", 2, "time_limit">,
    I32EnumCase<"WorkLimit", 3, "work_limit">,
    I32EnumCase<"Interrupted", 4, "interrupted">]> {
  let cppNamespace = "::ballast";
}

def Ballast_DeviceAttr : Ballast_Attr<"Device", "device"> {
  let summary = "Device an op runs on";
  let description = [{
    The device that runs an op or holds an argument: its index in the device list, which is also the `device`
    of one stage of the function's `ballast.plan`. On a chip of many cores it is the index of a core group.

    ```mlir
    %1 = arith.addf %0, %0 {ballast.device = #ballast.device<2>} : tensor<4xf32>
    ```
  }];
  let parameters = (ins AttrParameter<"int64_t", "index of the device, at least 0">:$id);
  let assemblyFormat = "`<` $id `>`";
}

def Ballast_RecomputeAttr : Ballast_Attr<"Recompute", "recompute"> {
  let summary = "Positions before which an op runs again";
  let description = [{
    The op's value is dropped after the last use before each of these positions and computed again just before
    the op at that position runs. All positions lie behind the op's own.

    ```mlir
    %1 = math.exp %0 {ballast.recompute = #ballast.recompute<before = [3, 7]>} : tensor<4xf32>
    ```
  }];
  let parameters = (ins PositionList:$before);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Ballast_SwapAttr : Ballast_Attr<"Swap", "swap"> {
  let summary = "When a value goes to host memory, and when it comes back";
  let description = [{
    The value is copied to host memory after the op at position `out_after` has run, and copied back just before
    the op at each position of `in_before` runs. The copy on the host stays to the last of them; the copy on the
    device is dropped after its last use before each return.

    ```mlir
    %1 = math.exp %0 {ballast.swap = #ballast.swap<out_after = 5, in_before = [9, 12]>} : tensor<4xf32>
    ```
  }];
  let parameters = (ins AttrParameter<"int64_t", "position after which the copy to the host is made">:$out_after,
                        PositionList:$in_before);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Ballast_ReceiveAttr : Ballast_Attr<"Receive", "receive"> {
  let summary = "Where another device receives a value";
  let description = [{
    A value read on another device is staged on the host by its maker and received there at `position` of the reader's
    op sequence; it may be dropped and received again before each position of `again_before`. `ballast.receives` on the maker lists
    one such attribute per reading device, by device.

    ```mlir
    %1 = math.exp %0 {ballast.receives = [#ballast.receive<device = 1, position = 0, again_before = [12]>]} : tensor<4xf32>
    ```
  }];
  let parameters = (ins AttrParameter<"int64_t", "index of the receiving device">:$device,
                        AttrParameter<"int64_t", "position of the first receive in its op sequence">:$position,
                        OptionalPositionList:$again_before);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Ballast_CostAttr : Ballast_Attr<"Cost", "cost"> {
  let summary = "Time and work of one execution of an op";
  let description = [{
    Seconds on the op's device as the plan reckons with them, floating-point operations by the counting convention of the
    pass, and bytes read from and written to device memory.

    ```mlir
    %1 = math.exp %0 {ballast.cost = #ballast.cost<seconds = 1.5e-6, flops = 4, bytes = 32>} : tensor<4xf32>
    ```
  }];
  let parameters = (ins NumberParameter<"seconds of one execution">:$seconds,
                        AttrParameter<"int64_t", "operations">:$flops,
                        AttrParameter<"int64_t", "bytes moved">:$bytes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Ballast_StageAttr : Ballast_Attr<"Stage", "stage"> {
  let summary = "One stage of a plan";
  let description = [{
    What one device (or core group) runs. Bytes are device memory of the whole stage; `cap` above `requested_cap`
    says that the cap was relaxed, and `smallest_cap`, where known, is the smallest cap found feasible.
    `bound` is a proven lower bound on `seconds` for the ops of this stage under `cap`.
  }];
  let parameters = (ins
      AttrParameter<"int64_t", "index of the device or core group">:$device,
      DefaultValuedParameter<"int64_t", "1", "cores of the stage on a chip of many cores">:$cores,
      AttrParameter<"int64_t", "cap the plan keeps, bytes">:$cap,
      AttrParameter<"int64_t", "cap asked for, bytes">:$requested_cap,
      DefaultValuedParameter<"int64_t", "-1", "smallest cap found feasible, bytes">:$smallest_cap,
      AttrParameter<"int64_t", "peak with the plan, bytes">:$peak,
      AttrParameter<"int64_t", "peak without recomputation and swaps, bytes">:$unplanned_peak,
      DefaultValuedParameter<"int64_t", "0", "peak of host memory, bytes">:$host_peak,
      NumberParameter<"time with the plan: ops, recomputation, exposed transfers">:$seconds,
      NumberParameter<"time without recomputation and swaps">:$unplanned_seconds,
      NumberParameter<"proven lower bound on `seconds`">:$bound);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Ballast_PlanAttr : Ballast_Attr<"Plan", "plan"> {
  let summary = "Figures of a plan as a whole";
  let description = [{
    Stands on the planned function as `ballast.plan`. Idle devices have no stage. `ratio` is `tmax`/`tmin` over the stages
    and is left out where a stage has no time. `bound` holds over the plans of `bound_class`; `gap` is `(tmax - bound)/tmax`. `fingerprint` is a hash of the planned
    program without its `ballast.*` attributes: a program edited after planning no longer matches it.
    `settings` holds the pass options that give positions, costs and times their meaning, so that the plan can
    be checked from the IR alone. `cap_met = false` says that a stage's `cap` is above its `requested_cap`. `bound_trusts_highs = true`
    says that the bound is what HiGHS says of its branch and bound, which no certificate checks. `checksum` is a hash of what
    cannot be derived again: bounds, class, gap, stop, method, seed, caps, settings, and the times of the ops.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
        ballast.plan = #ballast.plan<version = 2, devices = 1, tmax = 1.5e-6, tmin = 1.5e-6, ratio = 1.0, bound = 1.5e-6,
          bound_class = "contiguous", gap = 0.0, stop = proved, method = "dp", seed = 0, fingerprint = "1f2e3d4c5b6a7988", checksum = "8f9e0d1c2b3a4958", stages = [
            <device = 0, cap = 64, requested_cap = 64, peak = 32, unplanned_peak = 32, seconds = 1.5e-6,
             unplanned_seconds = 1.5e-6, bound = 1.5e-6>]>}
    ```
  }];
  let parameters = (ins
      AttrParameter<"int64_t", "version of this format: 2">:$version,
      AttrParameter<"int64_t", "number of devices planned for, idle ones included">:$devices,
      NumberParameter<"time of the slowest stage, seconds">:$tmax,
      NumberParameter<"time of the fastest stage, seconds">:$tmin,
      OptionalNumberParameter<"tmax/tmin, at least 1">:$ratio,
      NumberParameter<"proven lower bound on tmax, seconds">:$bound,
      StringRefParameter<"class of plans the bound holds for, such as `contiguous`">:$bound_class,
      NumberParameter<"(tmax - bound)/tmax, 0 to 1">:$gap,
      EnumParameter<Ballast_StopReason>:$stop,
      StringRefParameter<"method that found the plan">:$method,
      AttrParameter<"uint64_t", "seed of the search">:$seed,
      StringRefParameter<"hash of the planned program, 16 hexadecimal digits">:$fingerprint,
      StringRefParameter<"hash of what is taken on trust, 16 hexadecimal digits", "\"\"">:$checksum,
      TrueUnlessSaid:$cap_met,
      FalseUnlessSaid:$bound_trusts_highs,
      StageList:$stages,
      OptionalParameter<"::mlir::DictionaryAttr", "settings the figures depend on">:$settings);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Ballast_ProgramAttr : Ballast_Attr<"Program", "program"> {
  let summary = "What a function runs of a program that was cut over devices";
  let description = [{
    Stands as `ballast.program` on the program of one device. Its arguments and results are those of the whole program with
    these numbers, in this order.

    ```mlir
    func.func private @main_device1(%w: tensor<4xf32>) -> tensor<4xf32> attributes {
        ballast.program = #ballast.program<device = 1, devices = 2, arguments = [3], results = [0]>} {
      %x = ballast.recv from 0 to 1 tag 0 : tensor<4xf32>
      %0 = call @main_device1_segment0(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let parameters = (ins
      AttrParameter<"int64_t", "index of the device that runs it">:$device,
      AttrParameter<"int64_t", "number of devices the program was cut over, idle ones included">:$devices,
      OptionalPositionList:$arguments,
      OptionalPositionList:$results);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // BALLAST_ATTRIBUTES_TD
