"""Gradients of gathers as selections: losses that JAX users write give the same gradients, bit for bit."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import stablehlo  # noqa: E402

from ballast import _programs  # noqa: E402

ROWS, WORDS, WIDTH = 6, 40, 8


def rows():
    return jnp.arange(ROWS)


# What of the logarithms of probabilities, a row for every label, is the loss; whether its gradient is a selection; and whether the sums over its rows are the
# element: where rows are transposed or converted before, the sums are not over them.
LOSSES = {
    "take_along_axis": (lambda log_p, labels: jnp.take_along_axis(log_p, labels[:, None], axis=-1), True, True),
    "clipped": (lambda log_p, labels: jnp.take_along_axis(log_p, labels[:, None], axis=-1, mode="clip"), True, True),
    "rows counted": (lambda log_p, labels: log_p[rows(), labels], True, True),
    "from the end": (lambda log_p, labels: log_p[rows(), labels - WORDS], True, True),
    "columns": (lambda log_p, labels: log_p.T[labels, rows()], True, False),
    "bytes": (lambda log_p, labels: jnp.take_along_axis(log_p, labels[:, None].astype(jnp.uint8), axis=-1), True, True),
    "bf16": (lambda log_p, labels: jnp.take_along_axis(log_p.astype(jnp.bfloat16), labels[:, None], axis=-1), True, False),
    "two of a row": (lambda log_p, labels: jnp.take_along_axis(log_p, jnp.stack([labels, labels // 2], axis=-1), axis=-1), False, False),
    "a diagonal": (lambda log_p, labels: log_p[rows(), rows()], False, False),
}


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_of_gathers_are_the_same(name, tmp_path):
    pick, is_selection, is_summed = LOSSES[name]

    def loss(weights, x, labels):
        return -pick(jax.nn.log_softmax(x @ weights), labels).astype(jnp.float32).mean()

    draw = np.random.default_rng(0)
    weights, x = (draw.normal(size=shape).astype(np.float32) for shape in ((WIDTH, WORDS), (ROWS, WIDTH)))
    # One label in the first place, one in the last, and one that is no word.
    for labels in (draw.integers(0, WORDS, ROWS), np.array([0, WORDS - 1, 3, 3, WORDS, 5])):
        arguments = [weights, x, labels.astype(np.int32)]
        source, inlined, written = (tmp_path / name for name in ("step.mlir", "inlined.mlir", "written.mlir"))
        source.write_text(stablehlo.text_of(jax.jit(jax.value_and_grad(loss), keep_unused=True).lower(*arguments)))
        _programs.run("ballast-opt", [source, "--ballast-inline", "--mlir-print-op-generic", "-o", inlined, "--allow-unregistered-dialect"])
        passes = ["--ballast-gather-gradients", "--mlir-print-op-generic", "--allow-unregistered-dialect"]
        _programs.run("ballast-opt", [inlined, *passes, "-o", written])
        before, after = inlined.read_text(), written.read_text()
        assert ("stablehlo.scatter" in after) != is_selection
        assert before.count('"stablehlo.reduce"') - after.count('"stablehlo.reduce"') == is_summed
        for expected, found in zip(stablehlo.results(before, arguments), stablehlo.results(after, arguments), strict=True):
            np.testing.assert_array_equal(found, expected)
