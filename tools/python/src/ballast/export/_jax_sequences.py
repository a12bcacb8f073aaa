"""Models of sequences: encoders and decoders of many equal layers, written out or under `jax.lax.scan`, and a recurrent network."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from ._jax_layers import block, dense, dropout, layer_norm, repeated


def attention(parameter, name, x, heads, causal):
    """Self-attention of every position to all, or to those before it."""
    batch, length, width = x.shape
    size = width // heads
    mixed = dense(parameter, f"{name}/qkv", x, 3 * width)
    query, key, value = jnp.moveaxis(mixed.reshape(batch, length, 3, heads, size), 2, 0)
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / size**0.5
    if causal:
        rows = jax.lax.broadcasted_iota(jnp.int32, (length, length), 0)
        columns = jax.lax.broadcasted_iota(jnp.int32, (length, length), 1)
        scores = jnp.where(columns <= rows, scores, jnp.finfo(scores.dtype).min)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), value)
    return dense(parameter, f"{name}/out", mixed.reshape(x.shape), width)


def feed_forward(parameter, x, key, rate):
    """Two dense layers with GELU between them."""
    width = x.shape[-1]
    y = jax.nn.gelu(dense(parameter, "up", x, 4 * width))
    return dropout(dense(parameter, "down", y, width), key, rate)


@dataclass
class Decoder:
    """Decoder of equal layers under jax.lax.scan; layers and widths as given."""

    batch: int = 8
    sequence: int = 128
    vocabulary: int = 512
    layers: int = 4
    width: int = 128
    heads: int = 4

    def inputs(self, _dtype):
        """Shapes of the tokens and of the tokens to predict."""
        tokens = jax.ShapeDtypeStruct((self.batch, self.sequence), jnp.int32)
        return tokens, tokens

    def forward(self, parameter, tokens):
        """Logits over the vocabulary per token."""
        table = parameter("tokens", (self.vocabulary, self.width))
        x = table[tokens] + parameter("positions", (self.sequence, self.width))

        def layer(parameter, x, _key):
            x = x + attention(parameter, "attention", layer_norm(parameter, "norm1", x), self.heads, True)
            return x + feed_forward(parameter, layer_norm(parameter, "norm2", x), None, 0)

        x = repeated(parameter, "layers", layer, x, self.layers, scanned=True)
        return layer_norm(parameter, "norm", x) @ table.T


@dataclass
class Bert:
    """Encoder as in BERT (Devlin et al. 2018): normalisation last, a masked-word head over tied weights."""

    batch: int = 8
    sequence: int = 128
    vocabulary: int = 30522
    layers: int = 12
    width: int = 768
    heads: int = 12

    def inputs(self, _dtype):
        """Shapes of the tokens and of the words behind the masks."""
        tokens = jax.ShapeDtypeStruct((self.batch, self.sequence), jnp.int32)
        return tokens, tokens

    def forward(self, parameter, tokens):
        """Logits over the vocabulary per token."""
        table = parameter("tokens", (self.vocabulary, self.width))
        x = layer_norm(parameter, "norm", table[tokens] + parameter("positions", (self.sequence, self.width)))

        def layer(parameter, x, _key):
            x = layer_norm(parameter, "norm1", x + attention(parameter, "attention", x, self.heads, False))
            return layer_norm(parameter, "norm2", x + feed_forward(parameter, x, None, 0))

        x = repeated(parameter, "layers", layer, x, self.layers)
        x = layer_norm(parameter, "head/norm", jax.nn.gelu(dense(parameter, "head", x, self.width)))
        return x @ table.T + parameter("head/words", (self.vocabulary,))


@dataclass
class Vit:
    """Vision transformer (Dosovitskiy et al. 2020) with dropout; `--scanned 1` puts the layers under jax.lax.scan."""

    batch: int = 16
    image: int = 224
    patch: int = 16
    classes: int = 1000
    layers: int = 6
    width: int = 192
    heads: int = 3
    percent_dropped: int = 10
    scanned: int = 0

    MINIMA = {"percent_dropped": 0, "scanned": 0}

    def inputs(self, dtype):
        """Shapes of the images, of the labels and of the key that dropout draws from."""
        return (
            jax.ShapeDtypeStruct((self.batch, self.image, self.image, 3), dtype),
            jax.ShapeDtypeStruct((self.batch,), jnp.int32),
            jax.ShapeDtypeStruct((2,), jnp.uint32),
        )

    def forward(self, parameter, x, key):
        """Logits per image."""
        side = self.image // self.patch
        rate = self.percent_dropped / 100
        x = x.reshape(self.batch, side, self.patch, side, self.patch, 3).transpose(0, 1, 3, 2, 4, 5)
        x = dense(parameter, "patches", x.reshape(self.batch, side * side, -1), self.width)
        x = x + parameter("positions", (side * side, self.width))

        def layer(parameter, x, key):
            first, second = jax.random.split(key)
            y = attention(parameter, "attention", layer_norm(parameter, "norm1", x), self.heads, False)
            x = x + dropout(y, first, rate)
            return x + feed_forward(parameter, layer_norm(parameter, "norm2", x), second, rate)

        x = repeated(parameter, "layers", layer, x, self.layers, self.scanned > 0, key)
        return dense(parameter, "classes", layer_norm(parameter, "norm", x).mean(axis=1), self.classes)


@dataclass
class Lstm:
    """Recurrent network of LSTM cells (Hochreiter and Schmidhuber 1997), its steps under jax.lax.scan."""

    batch: int = 64
    sequence: int = 64
    vocabulary: int = 256
    layers: int = 2
    width: int = 256

    def inputs(self, _dtype):
        """Shapes of the tokens and of the tokens to predict."""
        tokens = jax.ShapeDtypeStruct((self.batch, self.sequence), jnp.int32)
        return tokens, tokens

    def forward(self, parameter, tokens):
        """Logits over the vocabulary per token."""
        x = parameter("tokens", (self.vocabulary, self.width))[tokens]
        for layer in range(self.layers):
            kernel = parameter(f"layer{layer}/kernel", (2 * self.width, 4 * self.width))
            shift = parameter(f"layer{layer}/bias", (4 * self.width,))

            def step(state, row, kernel=kernel, shift=shift):
                hidden, cell = state
                gates = jnp.concatenate([row, hidden], axis=-1) @ kernel + shift
                enter, forget, new, leave = jnp.split(gates, 4, axis=-1)
                cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(enter) * jnp.tanh(new)
                hidden = jax.nn.sigmoid(leave) * jnp.tanh(cell)
                return (hidden, cell), hidden

            start = jnp.zeros((self.batch, self.width), x.dtype)
            _, rows = jax.lax.scan(block(step), (start, start), jnp.moveaxis(x, 1, 0))
            x = jnp.moveaxis(rows, 0, 1)
        return dense(parameter, "words", x, self.vocabulary)
