"""Training steps of flax models that nobody tuned for: each a function from what wraps a block to a step of adamw and its arguments."""

import functools
import sys

import jax
import jax.numpy as jnp
import optax

try:
    import flax.linen as nn
except ImportError:
    sys.exit("bench: error: flax is not installed: `cargo xtask bench jax` makes an environment that has it")

OPTIMIZER = optax.adamw(1e-3)


class Layer(nn.Module):
    """A transformer layer, normalisation first, with dropout."""

    heads: int
    causal: bool = False
    dropout: float = 0.0
    dtype: jnp.dtype = jnp.float32

    @nn.compact
    def __call__(self, x, _=None):
        width = x.shape[-1]
        normed = nn.LayerNorm(dtype=self.dtype)(x)
        mask = nn.make_causal_mask(jnp.ones(x.shape[:2])) if self.causal else None
        seen = nn.MultiHeadDotProductAttention(self.heads, dtype=self.dtype, dropout_rate=self.dropout, deterministic=self.dropout == 0)(normed, mask=mask)
        x = x + nn.Dropout(self.dropout, deterministic=self.dropout == 0)(seen)
        hidden = nn.gelu(nn.Dense(4 * width, dtype=self.dtype)(nn.LayerNorm(dtype=self.dtype)(x)))
        x = x + nn.Dropout(self.dropout, deterministic=self.dropout == 0)(nn.Dense(width, dtype=self.dtype)(hidden))
        return x, None


class ViT(nn.Module):
    """Vision transformer, layers written out."""

    wrap: object
    layers: int = 3
    width: int = 128
    dtype: jnp.dtype = jnp.bfloat16

    @nn.compact
    def __call__(self, images):
        x = nn.Conv(self.width, (8, 8), (8, 8), dtype=self.dtype)(images)
        x = x.reshape(x.shape[0], -1, self.width)
        x = x + self.param("positions", nn.initializers.normal(0.02), (1, x.shape[1], self.width)).astype(self.dtype)
        for at in range(self.layers):
            x, _ = self.wrap(Layer)(4, dropout=0.1, dtype=self.dtype, name=f"layer{at}")(x)
        return nn.Dense(10, dtype=self.dtype)(nn.LayerNorm(dtype=self.dtype)(x).mean(1))


class Decoder(nn.Module):
    """A decoder whose layers are one under `nn.scan`."""

    wrap: object
    layers: int = 6
    width: int = 128

    @nn.compact
    def __call__(self, tokens):
        embed = nn.Embed(256, self.width)
        x = embed(tokens)
        scanned = nn.scan(self.wrap(Layer), variable_axes={"params": 0}, split_rngs={"params": True, "dropout": True}, length=self.layers)
        # Named: a wrapped class would have parameters of another name.
        x, _ = scanned(4, causal=True, name="layers")(x, None)
        return embed.attend(nn.LayerNorm()(x))


class Residual(nn.Module):
    """A bottleneck with batch normalisation."""

    width: int
    stride: int = 1

    @nn.compact
    def __call__(self, x):
        norm = functools.partial(nn.BatchNorm, use_running_average=False)
        y = nn.relu(norm()(nn.Conv(self.width, (1, 1), use_bias=False)(x)))
        y = nn.relu(norm()(nn.Conv(self.width, (3, 3), (self.stride, self.stride), use_bias=False)(y)))
        y = norm()(nn.Conv(4 * self.width, (1, 1), use_bias=False)(y))
        if x.shape != y.shape:
            x = norm()(nn.Conv(4 * self.width, (1, 1), (self.stride, self.stride), use_bias=False)(x))
        return nn.relu(x + y)


class ResNet(nn.Module):
    """Three stages of two bottlenecks each."""

    wrap: object

    @nn.compact
    def __call__(self, images):
        x = nn.relu(nn.BatchNorm(use_running_average=False)(nn.Conv(16, (7, 7), (2, 2), use_bias=False)(images)))
        x = nn.max_pool(x, (3, 3), (2, 2), "SAME")
        for stage in range(3):
            for at in range(2):
                x = self.wrap(Residual)(16 << stage, 2 if stage and not at else 1, name=f"stage{stage}block{at}")(x)
        return nn.Dense(10)(x.mean((1, 2)))


class Lstm(nn.Module):
    """Two recurrent layers, their steps under `nn.scan`."""

    wrap: object
    width: int = 128

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(256, self.width)(tokens)
        for at in range(2):
            cell = nn.scan(
                self.wrap(nn.OptimizedLSTMCell), variable_broadcast="params", split_rngs={"params": False}, in_axes=1, out_axes=1,
            )(self.width, name=f"cell{at}")
            start = (jnp.zeros((x.shape[0], self.width)),) * 2
            _, x = cell(start, x)
        return nn.Dense(256)(x)


def _images(batch, size):
    return jax.random.normal(jax.random.key(1), (batch, size, size, 3)), jnp.arange(batch) % 10


def _tokens(batch, length):
    tokens = jax.random.randint(jax.random.key(1), (batch, length + 1), 0, 256)
    return tokens[:, :-1], tokens[:, 1:]


#: The model, and its batch.
MODELS = {
    "vit-bf16": (ViT, _images(32, 64)),
    "decoder-scan": (Decoder, _tokens(8, 128)),
    "resnet": (ResNet, _images(64, 64)),
    "lstm": (Lstm, _tokens(64, 32)),
}


def remat(policy, *, scanned=False):
    """What wraps a block: `nn.remat` with a policy."""
    return functools.partial(nn.remat, policy=policy, prevent_cse=not scanned)


def step_of(name, wrap):
    """The training step of a model whose blocks are wrapped."""
    model = MODELS[name][0](wrap)

    def loss(parameters, rest, batch, key):
        logits, rest = model.apply({"params": parameters, **rest}, batch[0], rngs={"dropout": key}, mutable=list(rest))
        return optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), batch[1]).mean(), rest

    def step(state, batch, key):
        parameters, rest, moments = state
        (value, rest), gradients = jax.value_and_grad(loss, has_aux=True)(parameters, rest, batch, key)
        updates, moments = OPTIMIZER.update(gradients, moments, parameters)
        return (optax.apply_updates(parameters, updates), rest, moments), value

    return step


def arguments_of(name):
    """State, batch and key of a model."""
    model, batch = MODELS[name]
    variables = dict(jax.jit(model(lambda block: block).init)({"params": jax.random.key(0), "dropout": jax.random.key(2)}, batch[0]))
    parameters = variables.pop("params")
    return (parameters, variables, OPTIMIZER.init(parameters)), batch, jax.random.key(3)
