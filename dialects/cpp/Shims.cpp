// What Rust needs of MLIR and the C API does not offer, behind a C ABI. One function per question; no logic.
#include "Attributes.h"

#include "mlir-c/IR.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {

/// One fact of a remark.
struct Fact {
  MlirStringRef key;
  MlirStringRef value;
};

/// A note below a diagnostic.
struct Note {
  MlirLocation location;
  MlirStringRef text;
};

/// `#ballast.stage`, field by field.
struct RawStage {
  int64_t device, cores, cap, requestedCap, smallestCap, peak, unplannedPeak, hostPeak;
  double seconds, unplannedSeconds, bound;
};

/// `#ballast.plan` without its stages, field by field.
struct RawPlan {
  int64_t version, devices;
  double tmax, tmin, ratio, bound;
  MlirStringRef boundClass;
  double gap;
  uint32_t stop;
  MlirStringRef method;
  uint64_t seed;
  MlirStringRef fingerprint;
  MlirStringRef checksum;
  bool capMet;
  bool boundTrustsHighs;
  MlirAttribute settings;
};

MlirStringRef view(StringRef text) { return mlirStringRefCreate(text.data(), text.size()); }

function_ref<InFlightDiagnostic()> at(Location location, std::function<InFlightDiagnostic()> &storage) {
  storage = [location] { return emitError(location); };
  return storage;
}

} // namespace

extern "C" {

//===-- Diagnostics and remarks -----------------------------------------------------------------------------===//

void ballastEmit(MlirLocation location, uint32_t severity, MlirStringRef text, const Note *notes, size_t count) {
  static const DiagnosticSeverity severities[] = {DiagnosticSeverity::Error, DiagnosticSeverity::Warning,
                                                  DiagnosticSeverity::Remark};
  Location where = unwrap(location);
  InFlightDiagnostic diagnostic = where.getContext()->getDiagEngine().emit(where, severities[severity]);
  diagnostic << unwrap(text);
  for (size_t index = 0; index < count; ++index)
    diagnostic.attachNote(unwrap(notes[index].location)) << unwrap(notes[index].text);
}

void ballastRemark(MlirLocation location, uint32_t kind, MlirStringRef name, MlirStringRef function,
                   MlirStringRef text, const Fact *facts, size_t count) {
  Location where = unwrap(location);
  // MLIR writes files and lines alone into remarks: those of an op that was inlined are where it was written.
  if (auto place = where->findInstanceOf<FileLineColLoc>())
    where = place;
  // A remark may be printed as late as when the context dies: its names are kept where the context keeps strings.
  auto keep = [&](MlirStringRef text) { return StringAttr::get(where.getContext(), unwrap(text)).getValue(); };
  auto options = remark::RemarkOpts::name(keep(name)).category("ballast").function(keep(function));
  auto emit = [&](auto &&inFlight) {
    if (!inFlight)
      return;
    inFlight << unwrap(text);
    for (size_t index = 0; index < count; ++index)
      inFlight << remark::metric(keep(facts[index].key), unwrap(facts[index].value).str());
  };
  switch (kind) {
  case 0:
    return emit(remark::passed(where, options));
  case 1:
    return emit(remark::missed(where, options));
  case 2:
    return emit(remark::failed(where, options));
  default:
    return emit(remark::analysis(where, options));
  }
}

//===-- Effects -----------------------------------------------------------------------------------------------===//

bool ballastIsMemoryEffectFree(MlirOperation op) { return isMemoryEffectFree(unwrap(op)); }

bool ballastIsConstantLike(MlirOperation op) { return unwrap(op)->hasTrait<OpTrait::ConstantLike>(); }


//===-- Structured ops ----------------------------------------------------------------------------------------===//

/// Number of loops of a structured op, or -1. Fills up to `capacity` extents (`ShapedType::kDynamic` where not
/// static) and marks reductions.
intptr_t ballastLinalgLoops(MlirOperation op, int64_t *extents, bool *reductions, size_t capacity) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(unwrap(op));
  if (!linalgOp)
    return -1;
  SmallVector<int64_t> ranges = linalgOp.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = linalgOp.getIteratorTypesArray();
  for (size_t loop = 0; loop < ranges.size() && loop < capacity; ++loop) {
    extents[loop] = ranges[loop];
    reductions[loop] = iterators[loop] == utils::IteratorType::reduction;
  }
  return static_cast<intptr_t>(ranges.size());
}

//===-- Cloning -----------------------------------------------------------------------------------------------===//

IRMapping *ballastMappingCreate() { return new IRMapping(); }

void ballastMappingDestroy(IRMapping *mapping) { delete mapping; }

void ballastMappingMap(IRMapping *mapping, MlirValue from, MlirValue to) { mapping->map(unwrap(from), unwrap(to)); }

MlirValue ballastMappingLookup(IRMapping *mapping, MlirValue from) {
  return wrap(mapping->lookupOrDefault(unwrap(from)));
}

MlirOperation ballastMappingClone(IRMapping *mapping, MlirOperation op) { return wrap(unwrap(op)->clone(*mapping)); }

//===-- Attributes of ops -------------------------------------------------------------------------------------===//

/// Properties as one attribute; null without properties. Of an unregistered op: the dictionary in `<{..}>`.
MlirAttribute ballastProperties(MlirOperation op) { return wrap(unwrap(op)->getPropertiesAsAttribute()); }

/// The bytes of the elements of a dense attribute, one element where all are equal; false for other attributes.
bool ballastElementBytes(MlirAttribute attribute, MlirStringRef *bytes) {
  ArrayRef<char> raw;
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(unwrap(attribute)))
    raw = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(unwrap(attribute)))
    raw = resource.getData();
  else
    return false;
  *bytes = mlirStringRefCreate(raw.data(), raw.size());
  return true;
}

/// Key, value, key, value, .. of any DLTI attribute, in the order written; null for other attributes.
MlirAttribute ballastDltiEntries(MlirAttribute attribute) {
  SmallVector<Attribute> flat;
  auto add = [&](ArrayRef<DataLayoutEntryInterface> entries) {
    for (DataLayoutEntryInterface entry : entries) {
      DataLayoutEntryKey key = entry.getKey();
      if (auto name = dyn_cast<StringAttr>(key))
        flat.push_back(name);
      else
        flat.push_back(TypeAttr::get(cast<Type>(key)));
      flat.push_back(entry.getValue());
    }
  };
  Attribute spec = unwrap(attribute);
  if (auto system = dyn_cast<TargetSystemSpecAttr>(spec))
    add(system.getEntries());
  else if (auto device = dyn_cast<TargetDeviceSpecAttr>(spec))
    add(device.getEntries());
  else if (auto map = dyn_cast<MapAttr>(spec))
    add(map.getEntries());
  else if (auto layout = dyn_cast<DataLayoutSpecAttr>(spec))
    add(layout.getEntries());
  else
    return {nullptr};
  return wrap(ArrayAttr::get(spec.getContext(), flat));
}

/// The symbol references among an op's attributes, each once. Unlike SymbolTable, this also looks into unregistered ops.
MlirAttribute ballastSymbolReferences(MlirOperation op) {
  SetVector<Attribute> references;
  AttrTypeWalker walker;
  walker.addWalk([&](SymbolRefAttr reference) {
    references.insert(reference);
    // What a nested reference is made of are no references.
    return WalkResult::skip();
  });
  walker.walk<WalkOrder::PreOrder>(unwrap(op)->getDiscardableAttrDictionary());
  if (Attribute properties = unwrap(op)->getPropertiesAsAttribute())
    walker.walk<WalkOrder::PreOrder>(properties);
  return wrap(ArrayAttr::get(unwrap(op)->getContext(), references.getArrayRef()));
}

//===-- Attributes of the dialect -----------------------------------------------------------------------------===//

MlirAttribute ballastDeviceGet(MlirLocation location, int64_t id) {
  std::function<InFlightDiagnostic()> storage;
  Location where = unwrap(location);
  return wrap(Attribute(ballast::DeviceAttr::getChecked(at(where, storage), where.getContext(), id)));
}

/// -1 for another attribute.
int64_t ballastDeviceRead(MlirAttribute attribute) {
  auto device = dyn_cast<ballast::DeviceAttr>(unwrap(attribute));
  return device ? device.getId() : -1;
}

MlirAttribute ballastRecomputeGet(MlirLocation location, const int64_t *before, size_t count) {
  std::function<InFlightDiagnostic()> storage;
  Location where = unwrap(location);
  return wrap(Attribute(ballast::RecomputeAttr::getChecked(at(where, storage), where.getContext(),
                                                           ArrayRef<int64_t>(before, count))));
}

/// The positions, owned by the attribute.
bool ballastRecomputeRead(MlirAttribute attribute, const int64_t **before, size_t *count) {
  auto recompute = dyn_cast<ballast::RecomputeAttr>(unwrap(attribute));
  if (!recompute)
    return false;
  *before = recompute.getBefore().data();
  *count = recompute.getBefore().size();
  return true;
}

MlirAttribute ballastSwapGet(MlirLocation location, int64_t outAfter, const int64_t *inBefore, size_t count) {
  std::function<InFlightDiagnostic()> storage;
  Location where = unwrap(location);
  return wrap(Attribute(ballast::SwapAttr::getChecked(at(where, storage), where.getContext(), outAfter,
                                                      ArrayRef<int64_t>(inBefore, count))));
}

bool ballastSwapRead(MlirAttribute attribute, int64_t *outAfter, const int64_t **inBefore, size_t *count) {
  auto swap = dyn_cast<ballast::SwapAttr>(unwrap(attribute));
  if (!swap)
    return false;
  *outAfter = swap.getOutAfter();
  *inBefore = swap.getInBefore().data();
  *count = swap.getInBefore().size();
  return true;
}

MlirAttribute ballastReceiveGet(MlirLocation location, int64_t device, int64_t position,
                                const int64_t *againBefore, size_t count) {
  std::function<InFlightDiagnostic()> storage;
  Location where = unwrap(location);
  return wrap(Attribute(ballast::ReceiveAttr::getChecked(at(where, storage), where.getContext(), device, position,
                                                         ArrayRef<int64_t>(againBefore, count))));
}

bool ballastReceiveRead(MlirAttribute attribute, int64_t *device, int64_t *position, const int64_t **againBefore,
                        size_t *count) {
  auto receive = dyn_cast<ballast::ReceiveAttr>(unwrap(attribute));
  if (!receive)
    return false;
  *device = receive.getDevice();
  *position = receive.getPosition();
  *againBefore = receive.getAgainBefore().data();
  *count = receive.getAgainBefore().size();
  return true;
}

MlirAttribute ballastProgramGet(MlirLocation location, int64_t device, int64_t devices, const int64_t *arguments,
                                size_t argumentCount, const int64_t *results, size_t resultCount) {
  std::function<InFlightDiagnostic()> storage;
  Location where = unwrap(location);
  return wrap(Attribute(ballast::ProgramAttr::getChecked(at(where, storage), where.getContext(), device, devices,
                                                         ArrayRef<int64_t>(arguments, argumentCount),
                                                         ArrayRef<int64_t>(results, resultCount))));
}

bool ballastProgramRead(MlirAttribute attribute, int64_t *device, int64_t *devices, const int64_t **arguments,
                        size_t *argumentCount, const int64_t **results, size_t *resultCount) {
  auto program = dyn_cast<ballast::ProgramAttr>(unwrap(attribute));
  if (!program)
    return false;
  *device = program.getDevice();
  *devices = program.getDevices();
  *arguments = program.getArguments().data();
  *argumentCount = program.getArguments().size();
  *results = program.getResults().data();
  *resultCount = program.getResults().size();
  return true;
}

MlirAttribute ballastCostGet(MlirLocation location, double seconds, int64_t flops, int64_t bytes) {
  std::function<InFlightDiagnostic()> storage;
  Location where = unwrap(location);
  return wrap(Attribute(ballast::CostAttr::getChecked(at(where, storage), where.getContext(), APFloat(seconds),
                                                      flops, bytes)));
}

bool ballastCostRead(MlirAttribute attribute, double *seconds, int64_t *flops, int64_t *bytes) {
  auto cost = dyn_cast<ballast::CostAttr>(unwrap(attribute));
  if (!cost)
    return false;
  *seconds = cost.getSeconds().convertToDouble();
  *flops = cost.getFlops();
  *bytes = cost.getBytes();
  return true;
}

MlirAttribute ballastPlanGet(MlirLocation location, const RawPlan *plan, const RawStage *stages, size_t count) {
  std::function<InFlightDiagnostic()> storage;
  Location where = unwrap(location);
  auto emit = at(where, storage);
  MLIRContext *context = where.getContext();
  SmallVector<ballast::StageAttr> converted;
  for (const RawStage &stage : ArrayRef<RawStage>(stages, count)) {
    auto attribute = ballast::StageAttr::getChecked(
        emit, context, stage.device, stage.cores, stage.cap, stage.requestedCap, stage.smallestCap, stage.peak,
        stage.unplannedPeak, stage.hostPeak, APFloat(stage.seconds), APFloat(stage.unplannedSeconds),
        APFloat(stage.bound));
    if (!attribute)
      return {nullptr};
    converted.push_back(attribute);
  }
  auto settings = dyn_cast_or_null<DictionaryAttr>(unwrap(plan->settings));
  return wrap(Attribute(ballast::PlanAttr::getChecked(
      emit, context, plan->version, plan->devices, APFloat(plan->tmax), APFloat(plan->tmin), APFloat(plan->ratio),
      APFloat(plan->bound), unwrap(plan->boundClass), APFloat(plan->gap), static_cast<ballast::StopReason>(plan->stop),
      unwrap(plan->method), plan->seed, unwrap(plan->fingerprint), unwrap(plan->checksum), plan->capMet,
      plan->boundTrustsHighs,
      ArrayRef<ballast::StageAttr>(converted), settings)));
}

/// Number of stages, or -1 for another attribute. Strings stay owned by the attribute.
intptr_t ballastPlanRead(MlirAttribute attribute, RawPlan *out, RawStage *stages, size_t capacity) {
  auto plan = dyn_cast<ballast::PlanAttr>(unwrap(attribute));
  if (!plan)
    return -1;
  *out = RawPlan{plan.getVersion(),
                 plan.getDevices(),
                 plan.getTmax().convertToDouble(),
                 plan.getTmin().convertToDouble(),
                 plan.getRatio().convertToDouble(),
                 plan.getBound().convertToDouble(),
                 view(plan.getBoundClass()),
                 plan.getGap().convertToDouble(),
                 static_cast<uint32_t>(plan.getStop()),
                 view(plan.getMethod()),
                 plan.getSeed(),
                 view(plan.getFingerprint()),
                 view(plan.getChecksum()),
                 plan.getCapMet(),
                 plan.getBoundTrustsHighs(),
                 wrap(Attribute(plan.getSettings()))};
  ArrayRef<ballast::StageAttr> all = plan.getStages();
  for (size_t index = 0; index < all.size() && index < capacity; ++index) {
    ballast::StageAttr stage = all[index];
    stages[index] = RawStage{stage.getDevice(),       stage.getCores(),      stage.getCap(),
                             stage.getRequestedCap(), stage.getSmallestCap(), stage.getPeak(),
                             stage.getUnplannedPeak(), stage.getHostPeak(),
                             stage.getSeconds().convertToDouble(),
                             stage.getUnplannedSeconds().convertToDouble(),
                             stage.getBound().convertToDouble()};
  }
  return static_cast<intptr_t>(all.size());
}
}
