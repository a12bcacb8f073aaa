// The dialect: registration, and the check of every `ballast.*` attribute wherever it stands.
#include "Attributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <limits>

using namespace mlir;

#include "Dialect.cpp.inc"

#include "Enums.cpp.inc"

void ballast::BallastDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
}

namespace {

enum Place : unsigned { OnOp = 1, OnArgument = 2, OnFunction = 4 };

/// What may stand where, and how it is written.
struct Rule {
  llvm::StringLiteral name;
  unsigned places;
  bool (*accepts)(Attribute);
  llvm::StringLiteral form;
};

template <typename Kind> bool is(Attribute attribute) { return llvm::isa<Kind>(attribute); }

bool isPosition(Attribute attribute) {
  auto integer = llvm::dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getType().isSignlessInteger(64) && !integer.getValue().isNegative();
}

bool isReceives(Attribute attribute) {
  auto list = llvm::dyn_cast<ArrayAttr>(attribute);
  if (!list || list.empty())
    return false;
  int64_t previous = -1;
  for (Attribute entry : list) {
    auto receive = llvm::dyn_cast<ballast::ReceiveAttr>(entry);
    if (!receive || receive.getDevice() <= previous)
      return false;
    previous = receive.getDevice();
  }
  return true;
}

const Rule rules[] = {
    {"ballast.device", OnOp, is<ballast::DeviceAttr>, "#ballast.device<0>"},
    {"ballast.position", OnOp, isPosition, "a 64-bit integer that is not negative"},
    {"ballast.recompute", OnOp, is<ballast::RecomputeAttr>, "#ballast.recompute<before = [3]>"},
    {"ballast.swap", OnOp, is<ballast::SwapAttr>, "#ballast.swap<out_after = 1, in_before = [3]>"},
    {"ballast.receives", OnOp, isReceives, "[#ballast.receive<device = 1, position = 0>] with ascending devices"},
    {"ballast.cost", OnOp, is<ballast::CostAttr>,
     "#ballast.cost<seconds = 1.0e-6, flops = 8, bytes = 64>"},
    {"ballast.plan", OnFunction, is<ballast::PlanAttr>, "#ballast.plan<..>"},
    {"ballast.pipeline", OnFunction, is<DictionaryAttr>, "a dictionary"},
    {"ballast.applied", OnFunction, is<ballast::PlanAttr>, "#ballast.plan<..>"},
    {"ballast.program", OnFunction, is<ballast::ProgramAttr>, "#ballast.program<device = 0, devices = 2>"},
    {"ballast.job", OnFunction, is<DictionaryAttr>, "a dictionary"},
    {"ballast.placement", OnFunction, is<DictionaryAttr>, "a dictionary"},
    {"ballast.never_recompute", OnOp, is<UnitAttr>, "a unit attribute"},
    {"ballast.never_swap", OnOp | OnArgument, is<UnitAttr>, "a unit attribute"},
    {"ballast.must_keep", OnOp | OnArgument, is<UnitAttr>, "a unit attribute"},
};

/// The known name closest to a mistyped one.
StringRef closest(StringRef name) {
  StringRef best = rules[0].name;
  unsigned distance = std::numeric_limits<unsigned>::max();
  for (const Rule &rule : rules) {
    unsigned here = name.edit_distance(rule.name);
    if (here < distance) {
      distance = here;
      best = rule.name;
    }
  }
  return best;
}

LogicalResult check(function_ref<InFlightDiagnostic()> emitError, NamedAttribute attribute, Place place) {
  StringRef name = attribute.getName().strref();
  const Rule *rule = llvm::find_if(rules, [&](const Rule &rule) { return rule.name == name; });
  if (rule == std::end(rules))
    return emitError() << "unknown attribute '" << name << "': did you mean '" << closest(name) << "'?";
  if (!(rule->places & place)) {
    StringRef where = (rule->places & OnFunction)   ? "a function"
                      : (rule->places & OnArgument) ? "an op or a function argument"
                                                    : "an op";
    return emitError() << "'" << name << "' belongs on " << where;
  }
  if (!rule->accepts(attribute.getValue()))
    return emitError() << "'" << name << "' must be " << rule->form << ", not " << attribute.getValue();
  return success();
}

/// A rule of the user that a plan on the same op breaks.
LogicalResult checkRules(function_ref<InFlightDiagnostic()> emitError,
                         function_ref<Attribute(StringRef)> lookup, StringRef name) {
  auto broken = [&](StringRef rule) {
    return emitError() << "'" << name << "' breaks the rule '" << rule << "' on the same value";
  };
  if (name == "ballast.recompute" || name == "ballast.swap") {
    StringRef never = name == "ballast.swap" ? "ballast.never_swap" : "ballast.never_recompute";
    for (StringRef rule : {never, StringRef("ballast.must_keep")})
      if (lookup(rule))
        return broken(rule);
  }
  return success();
}

} // namespace

LogicalResult ballast::BallastDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  auto emitError = [&] { return op->emitError(); };
  Place place = llvm::isa<FunctionOpInterface>(op) ? OnFunction : OnOp;
  if (failed(check(emitError, attribute, place)))
    return failure();
  StringRef name = attribute.getName().strref();
  if (auto recompute = llvm::dyn_cast<RecomputeAttr>(attribute.getValue()))
    if (auto position = op->getAttrOfType<IntegerAttr>("ballast.position"))
      if (recompute.getBefore().front() <= position.getInt())
        return emitError() << "'ballast.recompute' before position " << recompute.getBefore().front()
                           << " is not behind the op's own position " << position.getInt();
  if (name == "ballast.receives")
    if (auto device = op->getAttrOfType<DeviceAttr>("ballast.device"))
      for (Attribute receive : llvm::cast<ArrayAttr>(attribute.getValue()))
        if (llvm::cast<ReceiveAttr>(receive).getDevice() == device.getId())
          return emitError() << "'ballast.receives' names device " << device.getId()
                             << ", which runs the op itself";
  return checkRules(emitError, [&](StringRef rule) { return op->getAttr(rule); }, name);
}

LogicalResult ballast::BallastDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                                NamedAttribute attribute) {
  auto emitError = [&] { return op->emitError() << "argument " << argument << ": "; };
  return check(emitError, attribute, OnArgument);
}

LogicalResult ballast::BallastDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned result,
                                                                   NamedAttribute attribute) {
  return op->emitError() << "result " << result << ": '" << attribute.getName().strref()
                         << "' does not belong on a function result";
}
