"""What XLA holds of a compiled program, and when: read from the schedule and the buffer assignment that a compiled program carries.

Both come as protocol buffers (openxla/xla: hlo.proto, buffer_assignment.proto); only the few fields below are read. Ops of the program whose location is
`ballast.N`, as `--ballast-to-stablehlo=number-ops=true` leaves them, are found again by the metadata of XLA's instructions.
"""

import collections
import pathlib

PREFIX = "ballast."
# Numbers of the fields that are read, by message.
WRITTEN = {"module": 1, "assignment": 3}
MODULE = {"computations": 3, "entry": 6, "schedule": 7}
COMPUTATION = {"instructions": 2, "id": 5, "root": 6}
INSTRUCTION = {"opcode": 2, "metadata": 7, "part": 13, "id": 35, "operands": 36, "called": 38}
METADATA = {"op_name": 2}
SCHEDULE = {"sequences": 1}
ASSIGNMENT = {"buffers": 1, "allocations": 3}
BUFFER = {"id": 1, "at": 3}
LOCATION = {"index": 3, "instruction": 4}
ALLOCATION = {"index": 1, "thread_local": 3, "parameter": 5, "returned": 7, "assigned": 9, "constant": 12}
ASSIGNED = {"buffer": 1, "offset": 2, "bytes": 3}
# Instructions whose called computations run as part of the schedule; those of the others work on elements.
RUNS_ITS_CALLEES = {"while", "call", "conditional", "async-start"}
# Instructions whose result lies where their operand lies.
PASSES_ON = {"opt-barrier", "bitcast", "while"}
# Instructions that compute nothing.
IDLE = PASSES_ON | {"tuple", "get-tuple-element", "parameter", "constant"}
# Of the memory at the peak: smaller buffers are not told one by one.
SMALL = 1 / 100


def number(data, at):
    """A varint, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def message(data, names):
    """The fields of a message that are named, each as a list: numbers as they are, all else as bytes."""
    wanted = {number: name for name, number in names.items()}
    found = {name: [] for name in names}
    at = 0
    while at < len(data):
        key, at = number(data, at)
        field, kind = key >> 3, key & 7
        if kind == 0:
            value, at = number(data, at)
        else:
            length, at = number(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = data[at : at + length], at + length
        if field in wanted:
            found[wanted[field]].append(value)
    return found


def first(values, default=0):
    """The only value of a field, or what it is when it is not written."""
    return values[-1] if values else default


def numbers(values):
    """The numbers of a repeated field, packed or one by one."""
    for value in values:
        if isinstance(value, int):
            yield value
            continue
        at = 0
        while at < len(value):
            one, at = number(value, at)
            yield one


class Module:
    """The instructions of an optimised module, and the moments at which they run."""

    def __init__(self, data):
        module = message(data, MODULE)
        self.instructions, self.roots, self.inside, self.users = {}, {}, {}, collections.defaultdict(list)
        for raw in module["computations"]:
            computation = message(raw, COMPUTATION)
            name = first(computation["id"])
            self.roots[name] = first(computation["root"])
            self.inside[name] = []
            for raw in computation["instructions"]:
                one = message(raw, INSTRUCTION)
                one["opcode"] = first(one["opcode"], b"").decode()
                one["called"] = list(numbers(one["called"]))
                one["operands"] = list(numbers(one["operands"]))
                key = first(one["id"])
                self.instructions[key] = one
                self.inside[name].append(key)
                for operand in one["operands"]:
                    self.users[operand].append(key)
        self.order = {}
        for raw in message(first(module["schedule"], b""), SCHEDULE)["sequences"]:
            entry = message(raw, {"computation": 1, "sequence": 2})
            self.order[first(entry["computation"])] = list(numbers(message(first(entry["sequence"], b""), {"ids": 1})["ids"]))
        self.moment = {}
        self.run(first(module["entry"]))

    def run(self, computation):
        """Gives the instructions of a computation their moments; what an instruction calls comes before it."""
        for key in self.order.get(computation, self.inside.get(computation, [])):
            one = self.instructions[key]
            if one["opcode"] in RUNS_ITS_CALLEES:
                for called in one["called"]:
                    self.run(called)
            self.moment[key] = len(self.moment)

    def own(self, key):
        """Numbers of the ops that an instruction stands for itself: several where XLA made one of them."""
        names = first(message(first(self.instructions[key]["metadata"], b""), METADATA)["op_name"], b"").decode()
        numbers = [name.removeprefix(PREFIX).split("/")[0] for name in names.split(";") if name.startswith(PREFIX)]
        return [int(number) for number in numbers if number.isdecimal()]

    def ops(self, key):
        """Numbers of the ops that an instruction runs, what it returns first; none where XLA made it up."""
        found = self.own(key)
        for called in self.instructions[key]["called"] if self.instructions[key]["opcode"] in ("fusion", "call") else []:
            found += [op for inner in (self.roots[called], *reversed(self.inside[called])) for op in self.ops(inner)]
        return list(dict.fromkeys(found))

    def spreads(self, key):
        """Does the instruction only spread a smaller value?"""
        one = self.instructions[key]
        if one["opcode"] == "fusion":
            return self.spreads(self.roots[one["called"][0]])
        return one["opcode"] == "broadcast"

    def lifetime(self, place):
        """First and last moment of a value, and who reads it, by way of tuples and barriers; none if it is not in the schedule."""
        last = begin = None
        readers, seen, waiting = [], set(), [place]
        while waiting:
            key, index = place = waiting.pop()
            if place in seen or key not in self.moment:
                continue
            seen.add(place)
            begin = self.moment[key] if begin is None else begin
            last = max(self.moment[key], begin if last is None else last)
            for user in self.users[key]:
                reader = self.instructions[user]
                if user not in self.moment:
                    continue
                if reader["opcode"] == "get-tuple-element":
                    # Another part of the tuple is another value.
                    if index and index[0] == first(reader["part"]):
                        waiting.append((user, index[1:]))
                    continue
                last = max(last, self.moment[user])
                if reader["opcode"] == "tuple":
                    waiting.extend((user, (part, *index)) for part, operand in enumerate(reader["operands"]) if operand == key)
                elif reader["opcode"] in PASSES_ON:
                    waiting.append((user, index))
                else:
                    readers.append(user)
        return None if begin is None else (begin, last, readers)


def temporaries(module, assignment):
    """[place in memory, bytes, first and last moment, instruction, readers] of every buffer that is no argument, result or constant."""
    made = {}
    for raw in assignment["buffers"]:
        buffer = message(raw, BUFFER)
        at = message(first(buffer["at"], b""), LOCATION)
        made[first(buffer["id"])] = first(at["instruction"]), tuple(numbers(at["index"]))
    for raw in assignment["allocations"]:
        allocation = message(raw, ALLOCATION)
        if any(first(allocation[name]) for name in ("thread_local", "parameter", "returned", "constant")):
            continue
        for raw in allocation["assigned"]:
            one = message(raw, ASSIGNED)
            place = made[first(one["buffer"])]
            span = module.lifetime(place)
            if span is not None:
                yield (first(allocation["index"]), first(one["offset"])), first(one["bytes"]), span[0], span[1], place[0], span[2]


def parts(compiled, dump):
    """The module and the buffer assignment of a compiled program: its own, or those that the compiler wrote into a folder."""
    module = compiled.hlo_modules()[0]
    if dump is None:
        return module.as_serialized_hlo_module_proto(), compiled.get_compiled_memory_stats().serialized_buffer_assignment_proto
    # Kernels that are timed on the way are compiled as modules of their own, and what could not be compiled left its own: the last is the one.
    written = pathlib.Path(dump).glob(f"*.{module.name}.*after_optimizations.hlo.pb")
    found = message(max(written, key=lambda file: file.stat().st_mtime_ns).read_bytes(), WRITTEN)
    return first(found["module"]), first(found["assignment"])


def stored(compiled, dump=None):
    """What is held while each instruction runs, `steps`: its ops and the bytes of all temporaries; and of the larger buffers at the peak, `peak`: the ops
    that make it, whether it only spreads a smaller value, the ops that read it, its bytes."""
    module, assignment = parts(compiled, dump)
    module, assignment = Module(module), message(assignment, ASSIGNMENT)
    # A buffer that is overwritten in place lives on: buffers in one place that meet are one.
    chains, buffers = [], list(temporaries(module, assignment))
    for place, size, begin, end, _, _ in sorted(buffers, key=lambda buffer: (buffer[0], buffer[2])):
        if chains and chains[-1][0] == place and begin <= chains[-1][3]:
            chains[-1][1:] = max(chains[-1][1], size), chains[-1][2], max(chains[-1][3], end)
        else:
            chains.append([place, size, begin, end])
    changes = [0] * (len(module.moment) + 1)
    for _, size, begin, end in chains:
        changes[begin] += size
        changes[end + 1] -= size
    held, bytes_at = 0, []
    for change in changes[:-1]:
        held += change
        bytes_at.append(held)
    running = [key for key in module.moment if module.instructions[key]["opcode"] not in IDLE]
    steps = [[module.ops(key), bytes_at[module.moment[key]]] for key in running]
    most = max(bytes_at, default=0)
    peak = bytes_at.index(most) if bytes_at else 0
    at_peak = []
    for _, size, begin, end, key, readers in buffers:
        if begin <= peak <= end and size >= SMALL * most:
            ops = sorted({op for reader in readers for op in module.ops(reader)})
            root = module.roots[module.instructions[key]["called"][0]] if module.instructions[key]["opcode"] == "fusion" else key
            at_peak.append({"ops": module.own(root) or module.own(key), "spreads": module.spreads(key), "readers": ops, "bytes": size})
    return {"steps": steps, "peak": at_peak}
