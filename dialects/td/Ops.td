// Ops of rewritten programs: host swaps, barriers, messages between devices.
#ifndef BALLAST_OPS_TD
#define BALLAST_OPS_TD

include "Dialect.td"
include "Types.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Swaps and barriers have no effect interface, on purpose: unknown effects keep CSE from merging two of them and dead-code
// elimination from dropping one, which would undo the plan. Messages read and write, which keeps them too, and lets
// MLIR's deallocation of buffers take them.
class Ballast_Op<string mnemonic, list<Trait> traits = []> : Op<Ballast_Dialect, mnemonic, traits>;

def Ballast_SwapOutOp : Ballast_Op<"swap_out", [
    TypesMatchWith<"the host handle is of the tensor's type", "tensor", "host", "::ballast::HostType::get($_ctxt, "
                   "::llvm::cast<::mlir::RankedTensorType>($_self))">]> {
  let summary = "Copies a tensor to host memory";
  let description = [{
    The tensor's device memory is free once its last use before the return has passed.

    ```mlir
    %h = ballast.swap_out %x : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$tensor);
  let results = (outs Ballast_HostType:$host);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
}

def Ballast_SwapInOp : Ballast_Op<"swap_in", [
    TypesMatchWith<"the tensor is of the host handle's type", "host", "tensor",
                   "::llvm::cast<::ballast::HostType>($_self).getTensor()">]> {
  let summary = "Copies a tensor from host memory back to the device";
  let description = [{
    ```mlir
    %y = ballast.swap_in %h : !ballast.host<tensor<4x8xf32>>
    ```
  }];
  let arguments = (ins Ballast_HostType:$host);
  let results = (outs AnyStaticShapeTensor:$tensor);
  let assemblyFormat = "$host attr-dict `:` qualified(type($host))";
}

def Ballast_BarrierOp : Ballast_Op<"barrier", [
    RangedTypesMatchWith<"every result has its operand's type", "inputs", "outputs", "$_self">]> {
  let summary = "Identity that no copy is merged across";
  let description = [{
    Every result is the operand at the same place. What reads results of a barrier is computed after all its operands, and
    is never merged with the same computation on the operands themselves: a recomputed op reads its inputs
    through a barrier, together with a value that exists only when the copy is needed.

    ```mlir
    %a, %b = ballast.barrier %x, %g : tensor<4xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def Ballast_SendOp : Ballast_Op<"send", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Sends a tensor to another device";
  let description = [{
    Meets the `ballast.recv` with the same devices and tag; neither goes on before the other has come (MPI's send and receive for
    large messages).

    ```mlir
    ballast.send %x from 0 to 1 tag 7 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef]>:$value, I64Attr:$source, I64Attr:$target,
                   I64Attr:$tag);
  let assemblyFormat = "$value `from` $source `to` $target `tag` $tag attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Ballast_RecvOp : Ballast_Op<"recv", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Receives a tensor from another device";
  let description = [{
    Meets the `ballast.send` with the same devices and tag. The tensor comes into device memory, or into host memory where it
    takes no device memory yet.

    ```mlir
    %x = ballast.recv from 0 to 1 tag 7 : tensor<4x8xf32>
    %h = ballast.recv from 0 to 1 tag 8 : !ballast.host<tensor<4x8xf32>>
    ```
  }];
  let arguments = (ins I64Attr:$source, I64Attr:$target, I64Attr:$tag);
  let results = (outs AnyTypeOf<[AnyStaticShapeTensor, Ballast_HostType]>:$value);
  let assemblyFormat = "`from` $source `to` $target `tag` $tag attr-dict `:` qualified(type($value))";
  let hasVerifier = 1;
}

def Ballast_RecvIntoOp : Ballast_Op<"recv_into", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Receives into a buffer";
  let description = [{
    What `ballast.recv` is once tensors have become buffers.

    ```mlir
    ballast.recv_into %m from 0 to 1 tag 7 : memref<4x8xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$buffer, I64Attr:$source, I64Attr:$target, I64Attr:$tag);
  let assemblyFormat = "$buffer `from` $source `to` $target `tag` $tag attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

#endif // BALLAST_OPS_TD
