"""Writes the training step of a PyTorch module as a static MLIR file that Ballast reads.

The step is loss (cross entropy), gradients and an SGD update; its results are the new parameters, then the loss.
Parameters are arguments of the entry function @main, so the file holds no weights.

    python -m ballast.export.torch resnet18 --batch 8 --form linalg -o resnet18.mlir
    python -m ballast.export.torch function my_model.py:make --form stablehlo -o mine.mlir

`make()` returns `(module, inputs, labels)`: a torch.nn.Module that maps the tuple of tensors `inputs` to logits whose
last axis is the classes, and the labels. Made under torch._subclasses.FakeTensorMode, none of it takes memory.
"""

import sys

import torch
from torch._subclasses import FakeTensorMode
from torch._decomp import get_decompositions
from torch.func import functional_call, functionalize
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel

try:
    from torch_mlir import fx
    from torch_mlir.compiler_utils import TorchMlirCompilerError
except ModuleNotFoundError as error:
    sys.exit(f"python -m ballast.export.torch: {error}: install what tools/python/requirements-export-torch.txt names (docs/exporting.md)")

from . import _command_line, _torch_convolutions, _torch_upsampling
from ._torch_models import MODELS

aten = torch.ops.aten
# Large ops that torch-mlir has no lowering for, or none for their gradients.
DECOMPOSED = [
    aten.native_batch_norm, aten.native_batch_norm_backward, aten._native_batch_norm_legit, aten._native_batch_norm_legit_functional,
    aten.native_layer_norm_backward, aten.native_dropout, aten.native_dropout_backward, aten._safe_softmax, aten.threshold_backward,
]
OWN = {"function": "a module of your own: a function that returns (module, inputs, labels)"}
FORMS = {"linalg": "linalg-on-tensors", "tosa": "tosa", "stablehlo": "stablehlo"}


def training_step(module, names, rate, buffers=()):
    """A function of parameters, buffers, inputs and labels, all flat, that returns the new parameters, the new buffers and the loss. Parameters that are
    frozen (`requires_grad=False`), and those that the loss does not depend on, are returned as they are."""
    frozen = {name for name, parameter in module.named_parameters() if not parameter.requires_grad}

    def step(*arrays):
        parameters, held, inputs, labels = _split(arrays, len(names), len(buffers))
        parameters = [parameter.detach().requires_grad_(name not in frozen) for name, parameter in zip(names, parameters, strict=True)]
        # Modules write to their running averages; the step returns them.
        held = [buffer.clone() for buffer in held]
        state = dict(zip([*names, *buffers], [*parameters, *held], strict=True))
        # Attention as arithmetic: kernels of one platform have no form elsewhere.
        with sdpa_kernel(SDPBackend.MATH):
            logits = functional_call(module, state, inputs)
        # Picked by comparison: the gradient of a gather is a scatter, which few forms have.
        wanted = labels.unsqueeze(-1) == torch.arange(logits.shape[-1], device=labels.device)
        scores = torch.log_softmax(logits, dim=-1)
        loss = -torch.where(wanted, scores, torch.zeros_like(scores)).sum() / labels.numel()
        trained = [parameter for parameter in parameters if parameter.requires_grad]
        gradients = iter(torch.autograd.grad(loss, trained, allow_unused=True))
        updated = [_updated(old, next(gradients) if old.requires_grad else None, rate) for old in parameters]
        return *updated, *held, loss

    return step


def _updated(old, gradient, rate):
    # A value of its own: what a step returns is no argument.
    return old.detach().clone() if gradient is None else old - rate * gradient


def _split(arrays, parameters, buffers):
    end = parameters + buffers
    return arrays[:parameters], arrays[parameters:end], arrays[end:-1], arrays[-1]


def _batch_norm(x, weight, bias, mean, variance, training, momentum, epsilon):
    """The op that says in its schema what it writes."""
    if mean is None:
        return aten._native_batch_norm_legit.no_stats(x, weight, bias, training, momentum, epsilon)
    return aten._native_batch_norm_legit.default(x, weight, bias, mean, variance, training, momentum, epsilon)


def drop_aliases(graph):
    """Removes the ops by which autograd names a value once more; torch-mlir does not take them."""
    for node in list(graph.graph.nodes):
        if node.target in (torch.ops.aten.alias.default, torch.ops.aten.detach.default):
            node.replace_all_uses_with(node.args[0])
            graph.graph.erase_node(node)
    graph.recompile()


def export(module, inputs, labels, form, rate=0.01):
    """MLIR text of the training step of `module` in one of FORMS."""
    names = [name for name, _ in module.named_parameters()]
    buffers = [name for name, _ in module.named_buffers()]
    arrays = [*(parameter.detach() for parameter in module.parameters()), *module.buffers(), *inputs, labels]
    step = training_step(module, names, rate, buffers)
    table = {
        **fx.get_decomposition_table(), **get_decompositions(DECOMPOSED),
        aten.convolution_backward.default: _torch_convolutions.decomposition(form),
        **_torch_upsampling.decompositions(form),
    }
    graph = make_fx(step, decomposition_table={aten.native_batch_norm.default: _batch_norm}, tracing_mode="fake")(*arrays)
    # What is written in place, as dropout's mask, becomes values; then large ops are broken down.
    graph = make_fx(functionalize(graph), tracing_mode="fake")(*arrays)
    graph = make_fx(graph, decomposition_table=table, tracing_mode="fake")(*arrays)
    drop_aliases(graph)
    lowered = fx.stateless_fx_import(graph, output_type=FORMS[form], model_name="main")
    # Upstream MLIR registers neither StableHLO nor torch-mlir's own dialect of scatters.
    generic = form == "stablehlo" or "tm_tensor." in str(lowered)
    # Constants that are neither parameter nor buffer, such as a table held as a plain attribute, are written out: without their values nothing runs.
    return lowered.operation.get_asm(print_generic_op_form=generic, enable_debug_info=False)


def main():
    """Command line."""

    def add_options(parser):
        parser.add_argument("--form", choices=FORMS, default="linalg", help="dialect to write, default %(default)s")

    options, model = _command_line.parse("torch", __doc__, MODELS, OWN, add_options)
    if model is None:
        module, inputs, labels = _command_line.load_function(options.source)()
    else:
        # Fake tensors have a shape and no storage: no weight is allocated.
        with FakeTensorMode():
            module = model.module()
            of_input, of_labels = model.inputs()
            kind = torch.int64 if options.model == "gpt2" else torch.float32
            inputs, labels = (torch.empty(of_input, dtype=kind),), torch.empty(of_labels, dtype=torch.int64)
    try:
        text = export(module, inputs, labels, options.form, options.rate)
    except TorchMlirCompilerError:
        # It has printed the op it stopped at.
        sys.exit(f"torch-mlir cannot write this step as {options.form}: see its message above, or try another --form")
    _command_line.write(options.output, text)


if __name__ == "__main__":
    main()
