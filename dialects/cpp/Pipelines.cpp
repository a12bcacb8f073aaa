// The routes from a planned program to what runs it: named pipelines of our passes and of MLIR's own.
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace ballast {
#include "PassEnums.h.inc"
} // namespace ballast

namespace {

/// What both routes to native code take.
template <typename Route> struct CodeOptions : PassPipelineOptions<Route> {
  template <typename Value> using Option = detail::PassOptions::Option<Value>;

  Option<std::string> function{*this, "function",
                               llvm::cl::desc("Function to rewrite, by symbol name; without it the only public function, or `main`. Text, none by default.")};
  Option<bool> entry{*this, "entry",
                     llvm::cl::desc("Add `ballast_entry`, which runs the function on arguments from the seed, one MPI process of it "
                                    "where there are several? `true` or `false`, default `false`."),
                     llvm::cl::init(false)};
  Option<uint64_t> seed{*this, "seed", llvm::cl::desc("Seed of the arguments of `ballast_entry`, default 0."), llvm::cl::init(0)};
  Option<uint64_t> runs{*this, "runs", llvm::cl::desc("How often `ballast_entry` calls the function, default 1."), llvm::cl::init(1)};
  Option<ballast::KernelsKept> kernels{
      *this, "kernels", llvm::cl::desc("What is kept once every loop nest is a function of its own (--ballast-kernels), default `all`."),
      llvm::cl::init(ballast::KernelsKept::All),
      llvm::cl::values(clEnumValN(ballast::KernelsKept::All, "all", "the program and its kernels"),
                       clEnumValN(ballast::KernelsKept::Program, "program", "the program; kernels are declared"),
                       clEnumValN(ballast::KernelsKept::Kernels, "kernels", "the kernels, to be called from other modules"))};
};

struct NativeOptions : CodeOptions<NativeOptions> {
  Option<bool> apply{*this, "apply", llvm::cl::desc("Carry out the plan? If not, its attributes are ignored. `true` or `false`, default `true`."),
                     llvm::cl::init(true)};
  Option<bool> each{*this, "each", llvm::cl::desc("Does `ballast_entry` call every public function in turn? `true` or `false`, default `false`."),
                    llvm::cl::init(false)};
};

struct MpiOptions : CodeOptions<MpiOptions> {
  Option<uint64_t> rank{*this, "rank", llvm::cl::desc("Device whose program is made: the rank of the process that runs it, default 0."),
                        llvm::cl::init(0)};
  Option<bool> attached{*this, "attached",
                        llvm::cl::desc("Is `ballast_entry` called by a process that has started MPI, and will end it? `true` or `false`, default `false`."),
                        llvm::cl::init(false)};
};

/// From the end of our part to buffers: every tensor gets one, freed after its last use. An argument is never written
/// to, so that a result is a buffer of its own. Without alignment, a buffer takes the bytes of its elements.
constexpr llvm::StringLiteral toBuffers =
    "one-shot-bufferize{bufferize-function-boundaries=true allow-return-allocs-from-loops=true function-boundary-type-conversion=identity-layout-map "
    "buffer-alignment=0},drop-equivalent-buffer-results,"
    "ownership-based-buffer-deallocation{private-function-dynamic-ownership=false},canonicalize,"
    "buffer-deallocation-simplification,bufferization-lower-deallocations,canonicalize,convert-bufferization-to-memref,"
    "func.func(optimize-allocation-liveness)";

/// From buffers to LLVM's dialect. Every allocation is a call that the run-time library can count. Functions of numbers become intrinsics, and those that
/// LLVM has none for, such as the error function, calls of C's library.
constexpr llvm::StringLiteral toLlvm =
    "func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "finalize-memref-to-llvm{use-generic-functions=true},convert-math-to-llvm,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts";

void add(OpPassManager &manager, const std::string &text) {
  if (failed(parsePassPipeline(text, manager)))
    llvm::report_fatal_error(llvm::Twine("ballast: this MLIR lacks a pass of the pipeline ") + text);
}

/// Makes one function per loop nest, because LLVM's time grows with the square of those in one.
std::string kernelsPass(ballast::KernelsKept kept) {
  StringRef name = kept == ballast::KernelsKept::All       ? "all"
                   : kept == ballast::KernelsKept::Program ? "program"
                                                           : "kernels";
  return "ballast-kernels{keep=" + name.str() + "},";
}

std::string functionOption(const std::string &function) {
  return function.empty() ? "" : "function='" + function + "'";
}

void buildNative(OpPassManager &manager, const NativeOptions &options) {
  std::string function = functionOption(options.function);
  if (options.apply)
    add(manager, "ballast-apply{" + function + "}");
  // A module that was cut is run as a whole, by its host.
  add(manager, "ballast-inline,ballast-to-buffers," + toBuffers.str() + ",ballast-host-heap");
  if (options.entry)
    add(manager, "ballast-entry{" + function + " seed=" + std::to_string(options.seed) +
                     " runs=" + std::to_string(options.runs) + " each=" + (options.each ? "true" : "false") + "}");
  add(manager, kernelsPass(options.kernels) + toLlvm.str());
}

void buildMpi(OpPassManager &manager, const MpiOptions &options) {
  std::string function = functionOption(options.function);
  add(manager, "ballast-apply{" + function + "},ballast-outline{" + function + "},ballast-rank{rank=" +
                   std::to_string(options.rank) + "},ballast-to-buffers," + toBuffers.str() + ",ballast-host-heap");
  if (options.entry)
    add(manager, "ballast-entry{seed=" + std::to_string(options.seed) + " runs=" + std::to_string(options.runs) +
                     " attached=" + (options.attached ? "true" : "false") + "}");
  add(manager, "ballast-messages," + kernelsPass(options.kernels) + toLlvm.str() + ",ballast-strip");
}

} // namespace

namespace ballast {

void registerPipelines() {
  PassPipelineRegistration<NativeOptions>(
      "ballast-to-native", "Carry out the plan and lower to LLVM's dialect: tensors become buffers, swaps copies to a second heap",
      buildNative);
  PassPipelineRegistration<MpiOptions>(
      "ballast-to-mpi", "Carry out the plan and lower the program of one device to LLVM's dialect and MPI", buildMpi);
}

} // namespace ballast
