"""Writes the training step of a JAX model, or of any JAX loss function, as a static MLIR file that Ballast reads.

The step is loss, gradients and an SGD update; its results are the new parameters, then the loss. Parameters are
arguments of the entry function @main, so the file holds no weights and nothing of that size is allocated.

    python -m ballast.export.jax resnet50 --batch 32 -o resnet50.mlir
    python -m ballast.export.jax vgg16 --batch 64 --image 32 --classes 10 --hidden 512 -o vgg16.mlir
    python -m ballast.export.jax function my_model.py:make -o mine.mlir
    python -m ballast.export.jax step my_model.py:make_step --locations -o step.mlir

`make()` returns `(loss, parameters, batch)`: `loss(parameters, *batch)` is a scalar, `parameters` and the tuple `batch`
are trees of arrays or of jax.ShapeDtypeStruct. `make_step()` returns `(step, arguments)`: a function of your own, or what
jax.jit made of it, and the tuple of such trees that it is called with; it is written as it is. The file is StableHLO in generic form: read it with
`--allow-unregistered-dialect`.
"""

import jax
import jax.numpy as jnp

from . import _command_line
from ._jax_layers import checkpointed
from ._jax_models import MODELS
from .generic import text_in_generic_form

DTYPES = {"f32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16}


CHECKPOINTS = ["none", "nothing_saveable", "dots_saveable", "dots_with_no_batch_dims_saveable"]


OPTIMIZERS = ["sgd", "adamw"]


def adamw_step(loss, rate, decay=0.01, first=0.9, second=0.999):
    """One step of AdamW (Loshchilov and Hutter 2019), moments in 32 bits; they and the step's number are arguments and results."""

    def step(parameters, moments, number, *batch):
        value, gradients = jax.value_and_grad(loss)(parameters, *batch)
        number = number + 1

        def update(old, gradient, mean, square):
            wide = gradient.astype(jnp.float32)
            mean = first * mean + (1 - first) * wide
            square = second * square + (1 - second) * wide * wide
            direction = mean / (1 - first**number) / (jnp.sqrt(square / (1 - second**number)) + 1e-8)
            new = old.astype(jnp.float32) * (1 - rate * decay) - rate * direction
            return new.astype(old.dtype), mean, square

        found = {name: update(old, gradients[name], *moments[name]) for name, old in parameters.items()}
        return (
            {name: new for name, (new, _, _) in found.items()},
            {name: (mean, square) for name, (_, mean, square) in found.items()},
            number,
            value,
        )

    return step


def training_step(loss, rate):
    """One step of gradient descent on `loss(parameters, *batch)`."""

    def step(parameters, *batch):
        value, gradients = jax.value_and_grad(loss)(parameters, *batch)
        updated = jax.tree.map(lambda old, gradient: old - jnp.asarray(rate, old.dtype) * gradient, parameters, gradients)
        return updated, value

    return step


OWN = {
    "function": "the training step of a loss: a function of your own that returns (loss, parameters, batch)",
    "step": "a step as it is: a function of your own that returns (step, arguments)",
}


def export(loss, parameters, batch, rate=0.01, checkpoint="none", blocks="none", optimizer="sgd", locations=False):
    """MLIR text of the training step; `parameters` and `batch` may be shapes alone, `checkpoint` and `blocks` name policies of JAX."""
    if checkpoint != "none":
        loss = jax.checkpoint(loss, policy=getattr(jax.checkpoint_policies, checkpoint))
    shapes = shapes_of((parameters, batch))
    state, make = (), training_step
    if optimizer == "adamw":
        wide = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, jnp.float32), shapes[0])
        state = {name: (leaf, leaf) for name, leaf in wide.items()}, jax.ShapeDtypeStruct((), jnp.float32)
        make = adamw_step
    policy = None if blocks == "none" else getattr(jax.checkpoint_policies, blocks)
    with checkpointed(policy):
        return export_step(make(loss, rate), (shapes[0], *state, *shapes[1]), locations)


def export_step(step, arguments, locations=False):
    """MLIR text of a step; `step` may come from jax.jit, whose donated and static arguments it then has, `arguments` may be shapes alone."""
    lowered = (step if hasattr(step, "lower") else jax.jit(step)).lower(*shapes_of(arguments))
    return text_in_generic_form(lowered.compiler_ir("stablehlo"), locations)


def shapes_of(tree):
    """The same tree with the shapes of its arrays; what is no array stays."""
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if hasattr(leaf, "dtype") else leaf, tree)


def model_loss(model, dtype):
    """Cross entropy of a model of _jax_models, with the shapes of its parameters and of a batch."""
    batch = model.inputs(dtype)
    shapes = {}

    def record(name, shape):
        if name in shapes:
            raise ValueError(f"two parameters are called {name}")
        shapes[name] = jax.ShapeDtypeStruct(shape, dtype)
        return jnp.zeros(shape, dtype)

    # Abstract evaluation: no array is made.
    jax.eval_shape(lambda x, *more: model.forward(record, x, *more), batch[0], *batch[2:])

    def loss(parameters, x, labels, *more):
        def look_up(name, _shape):
            return parameters[name]

        # The sum over many classes loses too much in 16 bits.
        logits = model.forward(look_up, x, *more).astype(jnp.float32)
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], axis=-1)
        return -jnp.mean(picked)

    return loss, shapes, batch


def main():
    """Command line."""

    def add_options(parser):
        parser.add_argument("--dtype", choices=DTYPES, default="f32", help="element type, default %(default)s")
        parser.add_argument("--checkpoint", choices=CHECKPOINTS, default="none",
                            help="policy of one jax.checkpoint around the loss, to compare with; default %(default)s")
        parser.add_argument("--blocks", choices=CHECKPOINTS, default="none",
                            help="policy of a jax.checkpoint around every block of layers; default %(default)s")
        parser.add_argument("--optimizer", choices=OPTIMIZERS, default="sgd", help="what updates the parameters, default %(default)s")
        parser.add_argument("--locations", action="store_true", help="write where in your files each op comes from, which reports and remarks then name")

    options, model = _command_line.parse("jax", __doc__, MODELS, OWN, add_options)
    if options.model == "step":
        _command_line.write(options.output, export_step(*_command_line.load_function(options.source)(), options.locations))
        return
    if model is None:
        loss, parameters, batch = _command_line.load_function(options.source)()
    else:
        loss, parameters, batch = model_loss(model, DTYPES[options.dtype])
    text = export(loss, parameters, batch, options.rate, options.checkpoint, options.blocks, options.optimizer, options.locations)
    _command_line.write(options.output, text)


if __name__ == "__main__":
    main()
