// Types and ops of rewritten programs: verifiers.
#include "Ballast.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "Types.cpp.inc"

#define GET_OP_CLASSES
#include "Ops.cpp.inc"

void ballast::BallastDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Types.cpp.inc"
      >();
}

void ballast::BallastDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "Ops.cpp.inc"
      >();
}

LogicalResult ballast::BarrierOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one operand");
  return success();
}

/// Two ends of a message: two devices that exist and differ, and a tag MPI can carry.
template <typename MessageOp> static LogicalResult verifyMessage(MessageOp op) {
  auto source = static_cast<int64_t>(op.getSource()), target = static_cast<int64_t>(op.getTarget());
  auto tag = static_cast<int64_t>(op.getTag());
  if (source < 0 || target < 0)
    return op.emitOpError() << "device " << std::min(source, target) << " does not exist";
  if (source == target)
    return op.emitOpError() << "device " << source << " cannot send to itself";
  if (tag < 0)
    return op.emitOpError() << "tag " << tag << " must not be negative";
  return success();
}

LogicalResult ballast::SendOp::verify() { return verifyMessage(*this); }

LogicalResult ballast::RecvOp::verify() { return verifyMessage(*this); }

LogicalResult ballast::RecvIntoOp::verify() { return verifyMessage(*this); }
