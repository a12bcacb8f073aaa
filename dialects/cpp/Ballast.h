// The dialect's C++ classes, as mlir-tblgen writes them.
#ifndef BALLAST_BALLAST_H
#define BALLAST_BALLAST_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Dialect.h.inc"

#include "Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Types.h.inc"

#define GET_OP_CLASSES
#include "Ops.h.inc"

#endif // BALLAST_BALLAST_H
