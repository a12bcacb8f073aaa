// The `ballast` dialect itself, and what its definitions share.
#ifndef BALLAST_DIALECT_TD
#define BALLAST_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Ballast_Dialect : Dialect {
  let name = "ballast";
  let cppNamespace = "::ballast";
  let summary = "Memory plans for static deep-learning programs, and what runs them";
  let description = [{
    The attributes of this dialect write a plan onto a program of any other dialects; its ops appear in
    programs that were rewritten so that the plan runs.

    Attributes with these names may stand on ops, and no other name that starts with `ballast.`:

    | name | on | value | says |
    |---|---|---|---|
    | `ballast.device` | op | `#ballast.device<id>` | where it runs |
    | `ballast.position` | op | integer, at least 0 | position in the op sequence of its stage |
    | `ballast.recompute` | op | `#ballast.recompute<before = [..]>` | runs again before these positions |
    | `ballast.swap` | op | `#ballast.swap<out_after = .., in_before = [..]>` | goes to host memory and back |
    | `ballast.receives` | op | `[#ballast.receive<device = .., position = ..>]` | where other devices receive its value |
    | `ballast.cost` | op | `#ballast.cost<..>` | the time the plan reckons with |
    | `ballast.plan` | function | `#ballast.plan<..>` | the figures of the plan as a whole |
    | `ballast.pipeline` | function | `{step = 1.0e-3, bubble = 0.2, in_flight = [2, 1], need = [64, 48]}` | figures of a step of micro-batches: seconds, share of idle time, and per device the micro-batches held and the bytes needed for all of them |
    | `ballast.applied` | function | `#ballast.plan<..>` | the plan that its body carries out |
    | `ballast.program` | function | `#ballast.program<..>` | what one device runs of a program cut over several |
    | `ballast.job` | function | `{devices = 2, steps = 1000}` | for placement: a training job, the devices it needs and the steps it runs |
    | `ballast.placement` | function | `{devices = ["d0", "d3"], seconds = 12.5}` | the devices a job was given, none if it waits, and its time without a fault |
    | `ballast.never_recompute` | op | unit | rule of the user: run once |
    | `ballast.never_swap` | op, argument | unit | rule of the user: stays off the host |
    | `ballast.must_keep` | op, argument | unit | rule of the user: on the device from first computation to last use |

    A **position** is an index into the op sequence of one stage: the planned ops that run on one device and the values
    it receives from others, in the order in which they first run or arrive. Where that order is not program order,
    every planned op carries `ballast.position`.
  }];

  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;

  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerOps();
  }];
}

#endif // BALLAST_DIALECT_TD
