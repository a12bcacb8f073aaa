// The attributes: what makes sense in them, and what does not.
#include "Attributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

FailureOr<APFloat> ballast::parseNumber(AsmParser &parser) {
  APFloat value(0.0);
  if (parser.parseFloat(APFloat::IEEEdouble(), value))
    return failure();
  return value;
}

FailureOr<SmallVector<int64_t>> ballast::parsePositions(AsmParser &parser) {
  SmallVector<int64_t> positions;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parser.parseInteger(positions.emplace_back()); }))
    return failure();
  return positions;
}

void ballast::printPositions(AsmPrinter &printer, ArrayRef<int64_t> positions) {
  printer << '[';
  llvm::interleaveComma(positions, printer);
  printer << ']';
}

FailureOr<SmallVector<ballast::StageAttr>> ballast::parseStages(AsmParser &parser) {
  SmallVector<StageAttr> stages;
  auto parseStage = [&]() -> ParseResult {
    auto stage = dyn_cast_or_null<StageAttr>(StageAttr::parse(parser, Type()));
    if (!stage)
      return failure();
    stages.push_back(stage);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseStage))
    return failure();
  return stages;
}

void ballast::printStages(AsmPrinter &printer, ArrayRef<StageAttr> stages) {
  printer << '[';
  llvm::interleaveComma(stages, printer, [&](StageAttr stage) { stage.print(printer); });
  printer << ']';
}

#define GET_ATTRDEF_CLASSES
#include "Attributes.cpp.inc"

void ballast::BallastDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Attributes.cpp.inc"
      >();
}

namespace {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// Plans are judged by replaying them, which sums times in another order than the planner did.
constexpr double roundingTolerance = 1e-9;

LogicalResult checkPositions(EmitError emitError, StringRef name, ArrayRef<int64_t> positions) {
  if (positions.empty())
    return emitError() << "'" << name << "' needs at least one position";
  if (positions.front() < 0)
    return emitError() << "'" << name << "' has position " << positions.front()
                       << ": positions are not negative";
  for (size_t index = 1; index < positions.size(); ++index)
    if (positions[index] <= positions[index - 1])
      return emitError() << "'" << name << "' must ascend strictly, but " << positions[index] << " follows "
                         << positions[index - 1];
  return success();
}

/// A number as a person reads it.
std::string shown(double value) {
  char buffer[32];
  snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

std::string shown(const APFloat &value) { return shown(value.convertToDouble()); }

LogicalResult checkSeconds(EmitError emitError, StringRef name, const APFloat &seconds) {
  if (!seconds.isFinite() || seconds.convertToDouble() < 0)
    return emitError() << "'" << name << "' must be a finite number of seconds that is not negative, not "
                       << shown(seconds);
  return success();
}

LogicalResult checkNotNegative(EmitError emitError, StringRef name, int64_t value) {
  if (value < 0)
    return emitError() << "'" << name << "' must not be negative, but is " << value;
  return success();
}

bool near(double a, double b) {
  return std::abs(a - b) <= roundingTolerance * std::max(std::abs(a), std::abs(b));
}

} // namespace

LogicalResult ballast::DeviceAttr::verify(EmitError emitError, int64_t id) {
  return checkNotNegative(emitError, "device", id);
}

LogicalResult ballast::ProgramAttr::verify(EmitError emitError, int64_t device, int64_t devices,
                                           ArrayRef<int64_t> arguments, ArrayRef<int64_t> results) {
  if (device < 0 || device >= devices)
    return emitError() << "'device' " << device << " is none of the " << devices << " 'devices'";
  for (auto [name, numbers] : {std::pair("arguments", arguments), std::pair("results", results)})
    if (!numbers.empty() && failed(checkPositions(emitError, name, numbers)))
      return failure();
  return success();
}

LogicalResult ballast::RecomputeAttr::verify(EmitError emitError, ArrayRef<int64_t> before) {
  return checkPositions(emitError, "before", before);
}

LogicalResult ballast::SwapAttr::verify(EmitError emitError, int64_t outAfter, ArrayRef<int64_t> inBefore) {
  if (outAfter < 0)
    return emitError() << "'out_after' must be a position, not " << outAfter;
  if (failed(checkPositions(emitError, "in_before", inBefore)))
    return failure();
  if (inBefore.front() <= outAfter)
    return emitError() << "a value that leaves after position " << outAfter << " cannot be back before position "
                       << inBefore.front();
  return success();
}

LogicalResult ballast::ReceiveAttr::verify(EmitError emitError, int64_t device, int64_t position,
                                           ArrayRef<int64_t> againBefore) {
  if (failed(checkNotNegative(emitError, "device", device)) ||
      failed(checkNotNegative(emitError, "position", position)))
    return failure();
  if (againBefore.empty())
    return success();
  if (failed(checkPositions(emitError, "again_before", againBefore)))
    return failure();
  if (againBefore.front() <= position)
    return emitError() << "a value first received at position " << position << " cannot be received again before position "
                       << againBefore.front();
  return success();
}

LogicalResult ballast::CostAttr::verify(EmitError emitError, APFloat seconds, int64_t flops, int64_t bytes) {
  return success(succeeded(checkSeconds(emitError, "seconds", seconds)) &&
                 succeeded(checkNotNegative(emitError, "flops", flops)) &&
                 succeeded(checkNotNegative(emitError, "bytes", bytes)));
}

LogicalResult ballast::StageAttr::verify(EmitError emitError, int64_t device, int64_t cores, int64_t cap,
                                         int64_t requestedCap, int64_t smallestCap, int64_t peak,
                                         int64_t unplannedPeak, int64_t hostPeak, APFloat seconds,
                                         APFloat unplannedSeconds, APFloat bound) {
  for (auto [name, value] : {std::pair<StringRef, int64_t>("device", device), {"cap", cap},
                             {"requested_cap", requestedCap}, {"peak", peak},
                             {"unplanned_peak", unplannedPeak}, {"host_peak", hostPeak}})
    if (failed(checkNotNegative(emitError, name, value)))
      return failure();
  if (cores < 1)
    return emitError() << "a stage has at least one core, not " << cores;
  if (smallestCap < -1)
    return emitError() << "'smallest_cap' must not be negative, but is " << smallestCap;
  if (smallestCap > cap)
    return emitError() << "'smallest_cap' " << smallestCap << " is above the cap " << cap << " that was kept";
  if (peak > cap)
    return emitError() << "peak of " << peak << " bytes is above the cap of " << cap << " bytes";
  if (requestedCap > cap)
    return emitError() << "cap " << cap << " is below the requested cap " << requestedCap
                       << ": a cap is only ever raised";
  for (auto [name, value] : {std::pair<StringRef, APFloat>("seconds", seconds),
                             {"unplanned_seconds", unplannedSeconds}, {"bound", bound}})
    if (failed(checkSeconds(emitError, name, value)))
      return failure();
  if (bound.convertToDouble() > seconds.convertToDouble() * (1 + roundingTolerance))
    return emitError() << "lower bound " << shown(bound) << " is above the stage's time " << shown(seconds);
  return success();
}

LogicalResult ballast::PlanAttr::verify(EmitError emitError, int64_t version, int64_t devices, APFloat tmax,
                                        APFloat tmin, APFloat ratio, APFloat bound, StringRef boundClass,
                                        APFloat gap, StopReason stop, StringRef method, uint64_t seed,
                                        StringRef fingerprint, StringRef checksum, bool capMet,
                                        bool boundTrustsHighs, ArrayRef<StageAttr> stages, DictionaryAttr settings) {
  if (version != 2)
    return emitError() << "plan of version " << version << ": this build reads version 2; plan the program again";
  for (auto [name, value] :
       {std::pair<StringRef, APFloat>("tmax", tmax), {"tmin", tmin}, {"bound", bound}})
    if (failed(checkSeconds(emitError, name, value)))
      return failure();
  double slowest = tmax.convertToDouble(), fastest = tmin.convertToDouble();
  if (stages.empty())
    return emitError() << "a plan has at least one stage";
  double largest = 0, smallest = stages.front().getSeconds().convertToDouble();
  for (size_t index = 0; index < stages.size(); ++index) {
    if (index > 0 && stages[index].getDevice() <= stages[index - 1].getDevice())
      return emitError() << "stages must stand in ascending order of device, but device "
                         << stages[index].getDevice() << " follows " << stages[index - 1].getDevice();
    double seconds = stages[index].getSeconds().convertToDouble();
    largest = std::max(largest, seconds);
    smallest = std::min(smallest, seconds);
  }
  if (stages.back().getDevice() >= devices)
    return emitError() << "a stage is on device " << stages.back().getDevice() << ", but there are " << devices
                       << " devices";
  if (!near(slowest, largest))
    return emitError() << "tmax " << shown(tmax) << " is not the time of the slowest stage, " << shown(largest);
  if (!near(fastest, smallest))
    return emitError() << "tmin " << shown(tmin) << " is not the time of the fastest stage, " << shown(smallest);
  double stated = ratio.convertToDouble();
  if (stated != -1.0) {
    if (fastest <= 0)
      return emitError() << "no ratio exists where a stage has no time";
    if (!(stated >= 1) || !near(stated, slowest / fastest))
      return emitError() << "ratio " << shown(ratio) << " is not tmax/tmin, " << shown(slowest / fastest);
  }
  if (bound.convertToDouble() > slowest * (1 + roundingTolerance))
    return emitError() << "lower bound " << shown(bound) << " is above tmax " << shown(tmax);
  double expected = slowest > 0 ? std::max(0.0, 1 - bound.convertToDouble() / slowest) : 0;
  if (!gap.isFinite() || std::abs(gap.convertToDouble() - expected) > roundingTolerance)
    return emitError() << "gap " << shown(gap) << " is not (tmax - bound)/tmax, " << shown(expected);
  if (boundClass.empty())
    return emitError() << "'bound_class' must name the class of plans the bound holds for";
  if (method.empty())
    return emitError() << "'method' must name the method that found the plan";
  auto isHash = [](StringRef text) { return text.size() == 16 && llvm::all_of(text, llvm::isHexDigit); };
  if (!isHash(fingerprint))
    return emitError() << "fingerprint \"" << fingerprint << "\" is not 16 hexadecimal digits";
  if (!checksum.empty() && !isHash(checksum))
    return emitError() << "checksum \"" << checksum << "\" is not 16 hexadecimal digits";
  const StageAttr *raised = llvm::find_if(stages, [](StageAttr stage) { return stage.getCap() > stage.getRequestedCap(); });
  if (capMet && raised != stages.end())
    return emitError() << "cap " << raised->getCap() << " of device " << raised->getDevice() << " is above the requested cap "
                       << raised->getRequestedCap() << ", but 'cap_met' is not false";
  if (!capMet && raised == stages.end())
    return emitError() << "'cap_met' is false, but no stage has a cap above the requested one";
  return success();
}
