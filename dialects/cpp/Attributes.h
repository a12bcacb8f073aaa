// Parsing and printing of attribute parameters that MLIR has no ready form for.
#ifndef BALLAST_ATTRIBUTES_H
#define BALLAST_ATTRIBUTES_H

#include "Ballast.h"

namespace ballast {

/// A double, decimal or as its bits in hexadecimal (how MLIR prints what no short decimal equals).
mlir::FailureOr<llvm::APFloat> parseNumber(mlir::AsmParser &parser);

/// A list of integers in brackets, possibly empty: the verifier has more to say than the parser.
mlir::FailureOr<llvm::SmallVector<int64_t>> parsePositions(mlir::AsmParser &parser);
void printPositions(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> positions);

/// Stages in brackets, each without its `#ballast.stage`.
mlir::FailureOr<llvm::SmallVector<StageAttr>> parseStages(mlir::AsmParser &parser);
void printStages(mlir::AsmPrinter &printer, llvm::ArrayRef<StageAttr> stages);

} // namespace ballast

#endif // BALLAST_ATTRIBUTES_H
