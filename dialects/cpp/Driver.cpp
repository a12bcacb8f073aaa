// The driver: `mlir-opt` with the dialect and the passes. Which files it reads and writes is decided in Rust, between reading the
// command line and running: MLIR's own main empties the output before it reads the input, and deletes it when a pass fails.
#include "Ballast.h"

#include "mlir-c/Support.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

using namespace mlir;

namespace {
/// What both halves of the driver need. Never freed: MLIR's registries point into it until the process ends.
struct Driver {
  DialectRegistry registry;
  std::string input, output;
};

Driver &driver() {
  static auto *driver = new Driver;
  return *driver;
}

StringRef view(MlirStringRef text) { return StringRef(text.data, text.length); }
} // namespace

extern "C" {

/// Reads the command line; the names of input and output as given. Ends the process for `--help` and for what is no option.
void ballastOptParse(int argc, char **argv, MlirStringRef *input, MlirStringRef *output) {
  registerAllPasses();
  DialectRegistry &registry = driver().registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<ballast::BallastDialect>();
  std::tie(driver().input, driver().output) =
      registerAndParseCLIOptions(argc, argv, "Ballast: plans programs for several small memories\n", registry);
  *input = mlirStringRefCreate(driver().input.data(), driver().input.size());
  *output = mlirStringRefCreate(driver().output.data(), driver().output.size());
}

/// Removes the files that are to go when a signal ends the process.
void ballastRemoveFiles() { llvm::sys::RunInterruptHandlers(); }

/// Prints dialects or passes, where the command line asks for that instead of a program.
bool ballastOptList(int argc, char **argv, int *status) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!config.shouldShowDialects() && !config.shouldListPasses())
    return false;
  *status = asMainReturnCode(MlirOptMain(argc, argv, driver().input, driver().output, driver().registry));
  return true;
}

/// Runs the passes on a program, which is followed by a zero byte, and writes the outcome to a file descriptor, 1 through the stream
/// that passes print to as well. A signal that ends the process deletes `partial`, unless that is empty. Fills in the system's
/// number of the error that kept the outcome from being written, or 0. Did the passes succeed?
bool ballastOptRun(int argc, char **argv, MlirStringRef name, MlirStringRef program, int descriptor, MlirStringRef partial,
                   int *error) {
  // A closed pipe is an error like any other: its signal is ignored.
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  // So is a file that the system allows no more bytes, which LLVM takes for a crash.
  std::signal(SIGXFSZ, SIG_IGN);
  if (partial.length != 0)
    llvm::sys::RemoveFileOnSignal(view(partial));
  auto run = [&](llvm::raw_fd_ostream &stream) {
    bool done = succeeded(MlirOptMain(stream, llvm::MemoryBuffer::getMemBuffer(view(program), view(name)),
                                      driver().registry, MlirOptMainConfig::createFromCLOptions()));
    stream.flush();
    *error = stream.has_error() ? stream.error().value() : 0;
    // What is left of an error would end the process when the stream does.
    stream.clear_error();
    return done;
  };
  bool done;
  if (descriptor == 1) {
    done = run(llvm::outs());
  } else {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/false);
    done = run(stream);
  }
  llvm::errs().clear_error();
  if (partial.length != 0)
    llvm::sys::DontRemoveFileOnSignal(view(partial));
  return done;
}
}
