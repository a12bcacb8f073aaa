// All definitions of the dialect: what mlir-tblgen is run on.
include "Attributes.td"
include "Types.td"
include "Ops.td"
