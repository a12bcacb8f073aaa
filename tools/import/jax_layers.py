"""Layers of the JAX models: images are NHWC, kernels HWIO.

A model is a function of `parameter` and its input. `parameter(name, shape)` returns the array of that name, so that
the same code first lists the shapes and then computes; no parameter is ever allocated to export a program.
Batch normalisation uses the statistics of the batch, as in training; running averages are left out.
Dropout is left out: its random bits would only add ops that may not be recomputed.
"""

import jax
import jax.numpy as jnp
import numpy as np

IMAGE = ("NHWC", "HWIO", "NHWC")


def dense(parameter, name, x, width):
    """Affine map of the last axis to `width` features."""
    kernel = parameter(f"{name}/kernel", (x.shape[-1], width))
    return x @ kernel + parameter(f"{name}/bias", (width,))


def conv(parameter, name, x, width, kernel, stride=1, padding="SAME", bias=True):
    """Convolution; `kernel` is one number or (height, width)."""
    height, across = (kernel, kernel) if isinstance(kernel, int) else kernel
    weights = parameter(f"{name}/kernel", (height, across, x.shape[-1], width))
    x = jax.lax.conv_general_dilated(x, weights, (stride, stride), padding, dimension_numbers=IMAGE)
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


def global_average(x):
    """Mean over space: [batch, channels]."""
    return jnp.mean(x, axis=(1, 2))
