// The passes as MLIR sees them. Everything they do, they do in Rust.
#include "Ballast.h"

#include "mlir-c/IR.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace ballast {
void registerPipelines();

#include "PassEnums.h.inc"

#include "PassTable.h.inc"

namespace {
/// The Rust side of every pass; set before any pass is registered.
PassTable table;

MlirStringRef view(const std::string &text) { return mlirStringRefCreate(text.data(), text.size()); }

// The create functions mlir-tblgen writes beside each base class have no caller: passes are made by name.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#define GEN_PASS_DECL
#define GEN_PASS_DEF_BALLASTAPPLY
#define GEN_PASS_DEF_BALLASTDEPTHWISEGRADIENTS
#define GEN_PASS_DEF_BALLASTENTRY
#define GEN_PASS_DEF_BALLASTGATHERGRADIENTS
#define GEN_PASS_DEF_BALLASTHOSTHEAP
#define GEN_PASS_DEF_BALLASTINLINE
#define GEN_PASS_DEF_BALLASTKERNELS
#define GEN_PASS_DEF_BALLASTMESSAGES
#define GEN_PASS_DEF_BALLASTOUTLINE
#define GEN_PASS_DEF_BALLASTOUTLINEBODY
#define GEN_PASS_DEF_BALLASTPAIRLOOPS
#define GEN_PASS_DEF_BALLASTRANK
#define GEN_PASS_DEF_BALLASTPLACE
#define GEN_PASS_DEF_BALLASTPLAN
#define GEN_PASS_DEF_BALLASTPOOLGRADIENTS
#define GEN_PASS_DEF_BALLASTREPORT
#define GEN_PASS_DEF_BALLASTSPLITOPS
#define GEN_PASS_DEF_BALLASTSTRIP
#define GEN_PASS_DEF_BALLASTTOBUFFERS
#define GEN_PASS_DEF_BALLASTTOSTABLEHLO
#define GEN_PASS_DEF_BALLASTUNROLL
#define GEN_PASS_DEF_BALLASTVERIFY
#define GEN_PASS_DEF_BALLASTWIDEPRODUCTS
#define GEN_PASS_DEF_REMAT
#define GEN_PASS_DEF_RLPARTITION
#include "Passes.h.inc"
#pragma clang diagnostic pop

#include "Passes.cpp.inc"
} // namespace
} // namespace ballast

extern "C" {

void ballastRegisterPasses(const ballast::PassTable *table) {
  ballast::table = *table;
  ballast::registerPasses();
  ballast::registerPipelines();
}

void ballastRegisterDialect(DialectRegistry *registry) { registry->insert<ballast::BallastDialect>(); }
}
