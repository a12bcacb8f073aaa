"""The models of ballast.export.jax: each a forward function, the shape of its input, and the loss over it.

Every class is a dataclass whose fields become options on the command line. `forward(parameter, x)` returns the
logits over `classes` (or over the vocabulary, one row per token).
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from ._jax_layers import (
    average_pool_same, batch_norm, block, conv, conv_norm_relu, dense, global_average, layer_norm, max_pool,
)
from ._jax_sequences import Bert, Decoder, Lstm, Vit
from ._jax_vision import AveragePooled, MobileNet, UNet


@dataclass
class Images:
    """What image classifiers share."""

    batch: int = 32
    image: int = 224
    classes: int = 1000

    def inputs(self, dtype):
        """Shapes of the images and of the labels."""
        return (
            jax.ShapeDtypeStruct((self.batch, self.image, self.image, 3), dtype),
            jax.ShapeDtypeStruct((self.batch,), jnp.int32),
        )


@dataclass
class Mlp:
    """Dense layers with ReLU between them: features, then `layers` times `width`, then classes."""

    batch: int = 128
    features: int = 784
    width: int = 512
    layers: int = 2
    classes: int = 10

    def inputs(self, dtype):
        """Shapes of the rows and of the labels."""
        return (
            jax.ShapeDtypeStruct((self.batch, self.features), dtype),
            jax.ShapeDtypeStruct((self.batch,), jnp.int32),
        )

    def forward(self, parameter, x):
        """Logits per row."""
        for layer in range(self.layers):
            x = block(lambda x, layer=layer: jax.nn.relu(dense(parameter, f"layer{layer}", x, self.width)))(x)
        return dense(parameter, "classes", x, self.classes)


@dataclass
class AlexNet(Images):
    """AlexNet (Krizhevsky et al. 2012, one tower). Below 64 pixels the first layer is 3x3 stride 2, pools are 2x2."""

    hidden: int = 4096

    def forward(self, parameter, x):
        """Logits per image."""
        small = self.image < 64
        kernel, stride, pool = (3, 2, 2) if small else (11, 4, 3)
        x = jax.nn.relu(conv(parameter, "conv1", x, 64, kernel, stride))
        x = max_pool(x, pool, 2)
        x = jax.nn.relu(conv(parameter, "conv2", x, 192, 3 if small else 5))
        x = max_pool(x, pool, 2)

        def middle(x):
            for index, width in enumerate((384, 256, 256), start=3):
                x = jax.nn.relu(conv(parameter, f"conv{index}", x, width, 3))
            return max_pool(x, pool, 2)

        x = block(middle)(x)
        x = x.reshape(x.shape[0], -1)
        for index in (6, 7):
            x = jax.nn.relu(dense(parameter, f"dense{index}", x, self.hidden))
        return dense(parameter, "classes", x, self.classes)


@dataclass
class Vgg16(Images):
    """VGG16 (Simonyan and Zisserman 2014)."""

    hidden: int = 4096

    def forward(self, parameter, x):
        """Logits per image."""
        for stage, (width, depth) in enumerate(((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)), start=1):

            def convolved(x, stage=stage, width=width, depth=depth):
                for layer in range(1, depth + 1):
                    x = jax.nn.relu(conv(parameter, f"conv{stage}_{layer}", x, width, 3))
                return max_pool(x, 2, 2)

            x = block(convolved)(x)
        x = x.reshape(x.shape[0], -1)
        for index in (1, 2):
            x = jax.nn.relu(dense(parameter, f"dense{index}", x, self.hidden))
        return dense(parameter, "classes", x, self.classes)


@dataclass
class ResNet50(Images):
    """ResNet-50, stride in the 3x3 (He et al. 2015, version 1.5). Below 64 pixels the stem is one 3x3 convolution."""

    def forward(self, parameter, x):
        """Logits per image."""
        if self.image < 64:
            x = conv_norm_relu(parameter, "stem", x, 64, 3)
        else:
            x = conv_norm_relu(parameter, "stem", x, 64, 7, 2)
            x = max_pool(x, 3, 2, "SAME")
        for stage, depth in enumerate((3, 4, 6, 3)):
            for number in range(depth):
                stride = 2 if stage > 0 and number == 0 else 1

                def residual(x, name=f"stage{stage}/block{number}", width=64 << stage, stride=stride):
                    return self._bottleneck(parameter, name, x, width, stride)

                x = block(residual)(x)
        return dense(parameter, "classes", global_average(x), self.classes)

    @staticmethod
    def _bottleneck(parameter, name, x, width, stride):
        y = conv_norm_relu(parameter, f"{name}/reduce", x, width, 1)
        y = conv_norm_relu(parameter, f"{name}/spatial", y, width, 3, stride)
        y = conv(parameter, f"{name}/expand", y, 4 * width, 1, bias=False)
        y = batch_norm(parameter, f"{name}/expand/norm", y)
        if x.shape != y.shape:
            x = conv(parameter, f"{name}/shortcut", x, 4 * width, 1, stride, bias=False)
            x = batch_norm(parameter, f"{name}/shortcut/norm", x)
        return jax.nn.relu(x + y)


@dataclass
class InceptionV3(Images):
    """Inception-v3 without the auxiliary head (Szegedy et al. 2015).

    Below 75 pixels, the least the original takes, the stem keeps the image size and every padding is SAME.
    """

    image: int = 299

    def forward(self, parameter, x):
        """Logits per image."""
        small = self.image < 75
        padding = "SAME" if small else "VALID"
        stride = 1 if small else 2

        def unit(name, x, width, kernel, stride=1, padding="SAME"):
            return conv_norm_relu(parameter, name, x, width, kernel, stride, padding)

        def chain(name, x, *units):
            for index, arguments in enumerate(units):
                x = unit(f"{name}/{index}", x, *arguments)
            return x

        def join(*branches):
            return jnp.concatenate(branches, axis=-1)

        x = chain("stem", x, (32, 3, stride, padding), (32, 3, 1, padding), (64, 3))
        x = x if small else max_pool(x, 3, 2)
        x = chain("stem2", x, (80, 1, 1, padding), (192, 3, 1, padding))
        x = x if small else max_pool(x, 3, 2)
        for index, pooled in enumerate((32, 64, 64)):

            def first(x, name=f"a{index}", pooled=pooled):
                return join(
                    unit(f"{name}/one", x, 64, 1),
                    chain(f"{name}/five", x, (48, 1), (64, 5)),
                    chain(f"{name}/double", x, (64, 1), (96, 3), (96, 3)),
                    unit(f"{name}/pool", average_pool_same(x, 3), pooled, 1),
                )

            x = block(first)(x)

        def second(x):
            return join(
                unit("b/three", x, 384, 3, 2, padding),
                chain("b/double", x, (64, 1), (96, 3), (96, 3, 2, padding)),
                max_pool(x, 3, 2, padding),
            )

        x = block(second)(x)
        for index, width in enumerate((128, 160, 160, 192)):

            def third(x, name=f"c{index}", width=width):
                double = ((width, 1), (width, (7, 1)), (width, (1, 7)), (width, (7, 1)), (192, (1, 7)))
                return join(
                    unit(f"{name}/one", x, 192, 1),
                    chain(f"{name}/seven", x, (width, 1), (width, (1, 7)), (192, (7, 1))),
                    chain(f"{name}/double", x, *double),
                    unit(f"{name}/pool", average_pool_same(x, 3), 192, 1),
                )

            x = block(third)(x)

        def fourth(x):
            return join(
                chain("d/three", x, (192, 1), (320, 3, 2, padding)),
                chain("d/seven", x, (192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3, 2, padding)),
                max_pool(x, 3, 2, padding),
            )

        x = block(fourth)(x)
        for index in range(2):

            def fifth(x, name=f"e{index}"):
                three = unit(f"{name}/three", x, 384, 1)
                double = chain(f"{name}/double", x, (448, 1), (384, 3))
                return join(
                    unit(f"{name}/one", x, 320, 1),
                    unit(f"{name}/three/across", three, 384, (1, 3)),
                    unit(f"{name}/three/down", three, 384, (3, 1)),
                    unit(f"{name}/double/across", double, 384, (1, 3)),
                    unit(f"{name}/double/down", double, 384, (3, 1)),
                    unit(f"{name}/pool", average_pool_same(x, 3), 192, 1),
                )

            x = block(fifth)(x)
        return dense(parameter, "classes", global_average(x), self.classes)


@dataclass
class Gpt2:
    """Decoder as in GPT-2 (Radford et al. 2019): learned positions, normalisation first, tied output weights."""

    batch: int = 4
    sequence: int = 512
    vocabulary: int = 50257
    layers: int = 12
    width: int = 768
    heads: int = 12

    def __post_init__(self):
        if self.width % self.heads:
            raise ValueError(f"--width {self.width} is not a multiple of --heads {self.heads}")

    def inputs(self, _dtype):
        """Shapes of the tokens and of the tokens to predict."""
        tokens = jax.ShapeDtypeStruct((self.batch, self.sequence), jnp.int32)
        return tokens, tokens

    def forward(self, parameter, tokens):
        """Logits over the vocabulary per token."""
        table = parameter("tokens", (self.vocabulary, self.width))
        x = table[tokens] + parameter("positions", (self.sequence, self.width))
        for layer in range(self.layers):

            def one(x, name=f"layer{layer}"):
                x = x + self._attention(parameter, f"{name}/attention", layer_norm(parameter, f"{name}/norm1", x))
                y = dense(parameter, f"{name}/up", layer_norm(parameter, f"{name}/norm2", x), 4 * self.width)
                return x + dense(parameter, f"{name}/down", jax.nn.gelu(y), self.width)

            x = block(one)(x)
        return layer_norm(parameter, "norm", x) @ table.T

    def _attention(self, parameter, name, x):
        size = self.width // self.heads
        mixed = dense(parameter, f"{name}/qkv", x, 3 * self.width)
        query, key, value = jnp.moveaxis(mixed.reshape(self.batch, self.sequence, 3, self.heads, size), 2, 0)
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / size**0.5
        rows = jax.lax.broadcasted_iota(jnp.int32, (self.sequence, self.sequence), 0)
        columns = jax.lax.broadcasted_iota(jnp.int32, (self.sequence, self.sequence), 1)
        scores = jnp.where(columns <= rows, scores, jnp.finfo(scores.dtype).min)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), value)
        return dense(parameter, f"{name}/out", mixed.reshape(x.shape), self.width)


MODELS = {
    "mlp": Mlp,
    "alexnet": AlexNet,
    "vgg16": Vgg16,
    "resnet50": ResNet50,
    "inception-v3": InceptionV3,
    "gpt2": Gpt2,
    "decoder": Decoder,
    "bert": Bert,
    "vit": Vit,
    "lstm": Lstm,
    "unet": UNet,
    "mobilenet": MobileNet,
    "average-pooled": AveragePooled,
}
