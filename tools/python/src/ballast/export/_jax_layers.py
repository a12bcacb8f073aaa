"""Layers of the JAX models: images are NHWC, kernels HWIO.

A model is a function of `parameter` and its input. `parameter(name, shape)` returns the array of that name, so that
the same code first lists the shapes and then computes; no parameter is ever allocated to export a program.
Batch normalisation uses the statistics of the batch, as in training; running averages are left out.
"""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np

IMAGE = ("NHWC", "HWIO", "NHWC")

# Policy of a jax.checkpoint around every block; none: no checkpoint.
_POLICY = None


@contextlib.contextmanager
def checkpointed(policy):
    """Within it, every `block` keeps what the policy keeps, and computes the rest again for its gradient."""
    global _POLICY
    _POLICY, outer = policy, _POLICY
    try:
        yield
    finally:
        _POLICY = outer


def block(function):
    """The function as a unit of checkpointing, such as a residual block or a layer."""
    return function if _POLICY is None else jax.checkpoint(function, policy=_POLICY)


def repeated(parameter, name, layer, x, layers, scanned=False, key=None):
    """`layer(parameter, x, key)` so many times, each with parameters of its own, written out or under jax.lax.scan."""
    keys = jnp.zeros((layers, 2), jnp.uint32) if key is None else jax.random.split(key, layers)
    if not scanned:
        for index in range(layers):

            def one(x, key, index=index):
                return layer(lambda inner, shape: parameter(f"{name}{index}/{inner}", shape), x, key)

            x = block(one)(x, keys[index])
        return x
    shapes = {}

    def record(inner, shape):
        shapes[inner] = shape
        return jnp.zeros(shape, x.dtype)

    jax.eval_shape(lambda x, key: layer(record, x, key), x, keys[0])
    stacks = {inner: parameter(f"{name}/{inner}", (layers, *shape)) for inner, shape in shapes.items()}

    def body(x, slices):
        own, key = slices
        return layer(lambda inner, _shape: own[inner], x, key), None

    return jax.lax.scan(block(body), x, (stacks, keys))[0]


def dropout(x, key, rate):
    """Sets elements to zero with this probability, and scales the others up."""
    if rate == 0:
        return x
    keep = jax.random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(keep, x / jnp.asarray(1 - rate, x.dtype), jnp.zeros((), x.dtype))


def dense(parameter, name, x, width):
    """Affine map of the last axis to `width` features."""
    kernel = parameter(f"{name}/kernel", (x.shape[-1], width))
    return x @ kernel + parameter(f"{name}/bias", (width,))


def conv(parameter, name, x, width, kernel, stride=1, padding="SAME", bias=True, groups=1):
    """Convolution; `kernel` is one number or (height, width)."""
    height, across = (kernel, kernel) if isinstance(kernel, int) else kernel
    weights = parameter(f"{name}/kernel", (height, across, x.shape[-1] // groups, width))
    strides = (stride, stride)
    x = jax.lax.conv_general_dilated(x, weights, strides, padding, dimension_numbers=IMAGE, feature_group_count=groups)
    return x + parameter(f"{name}/bias", (width,)) if bias else x


def batch_norm(parameter, name, x):
    """Normalises each channel over batch and space."""
    mean = jnp.mean(x, axis=(0, 1, 2))
    variance = jnp.mean(jnp.square(x - mean), axis=(0, 1, 2))
    scale = parameter(f"{name}/scale", mean.shape) * jax.lax.rsqrt(variance + 1e-5)
    return (x - mean) * scale + parameter(f"{name}/shift", mean.shape)


def conv_norm_relu(parameter, name, x, width, kernel, stride=1, padding="SAME"):
    """The unit that residual and inception networks are made of."""
    x = conv(parameter, name, x, width, kernel, stride, padding, bias=False)
    return jax.nn.relu(batch_norm(parameter, f"{name}/norm", x))


def layer_norm(parameter, name, x):
    """Normalises the last axis."""
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), axis=-1, keepdims=True)
    normal = (x - mean) * jax.lax.rsqrt(variance + 1e-5)
    width = x.shape[-1]
    return normal * parameter(f"{name}/scale", (width,)) + parameter(f"{name}/shift", (width,))


def max_pool(x, window, stride, padding="VALID"):
    """Largest value of each square window."""
    # A NumPy constant: JAX knows the gradient of a maximum only if it sees that the start value is the least.
    least = np.array(-np.inf, x.dtype)
    return jax.lax.reduce_window(x, least, jax.lax.max, (1, window, window, 1), (1, stride, stride, 1), padding)


def average_pool_same(x, window):
    """Mean over each square window, image size kept; the padding counts as zeros."""
    zero = np.array(0, x.dtype)
    total = jax.lax.reduce_window(x, zero, jax.lax.add, (1, window, window, 1), (1, 1, 1, 1), "SAME")
    return total / (window * window)


def average_pool(x, window):
    """Mean over each square window, side by side."""
    zero = np.array(0, x.dtype)
    sides = (1, window, window, 1)
    return jax.lax.reduce_window(x, zero, jax.lax.add, sides, sides, "VALID") / (window * window)


def global_average(x):
    """Mean over space: [batch, channels]."""
    return jnp.mean(x, axis=(1, 2))
