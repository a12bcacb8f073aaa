// Types of rewritten programs.
#ifndef BALLAST_TYPES_TD
#define BALLAST_TYPES_TD

include "Dialect.td"

def Ballast_HostType : TypeDef<Ballast_Dialect, "Host"> {
  let mnemonic = "host";
  let summary = "A tensor in host memory";
  let description = [{
    Handle of a copy in host memory: `!ballast.host<tensor<4x8xf32>>`. Made by `ballast.swap_out`, read by
    `ballast.swap_in`; it takes no device memory.
  }];
  let parameters = (ins TypeParameter<"::mlir::RankedTensorType", "the tensor">:$tensor);
  let assemblyFormat = "`<` $tensor `>`";
}

#endif // BALLAST_TYPES_TD
