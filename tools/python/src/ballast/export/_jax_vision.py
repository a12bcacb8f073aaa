"""Models of images beyond the classifiers of _jax_models: of pixels, of depthwise convolutions, of average pooling."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from ._jax_layers import average_pool, batch_norm, block, conv, conv_norm_relu, dense, global_average, max_pool


@dataclass
class UNet:
    """U-Net (Ronneberger et al. 2015) with padding: down by pooling, up by transposed convolution, joined across."""

    batch: int = 4
    image: int = 256
    classes: int = 2
    width: int = 64
    levels: int = 4

    def inputs(self, dtype):
        """Shapes of the images and of the class of every pixel."""
        size = (self.batch, self.image, self.image)
        return jax.ShapeDtypeStruct((*size, 3), dtype), jax.ShapeDtypeStruct(size, jnp.int32)

    def forward(self, parameter, x):
        """Logits per pixel."""

        def twice(name, width):
            def both(x):
                x = jax.nn.relu(conv(parameter, f"{name}/0", x, width, 3))
                return jax.nn.relu(conv(parameter, f"{name}/1", x, width, 3))

            return block(both)

        kept = []
        for level in range(self.levels):
            x = twice(f"down{level}", self.width << level)(x)
            kept.append(x)
            x = max_pool(x, 2, 2)
        x = twice("bottom", self.width << self.levels)(x)
        for level in reversed(range(self.levels)):
            width = self.width << level
            kernel = parameter(f"up{level}/kernel", (2, 2, x.shape[-1], width))
            x = jax.lax.conv_transpose(x, kernel, (2, 2), "SAME") + parameter(f"up{level}/bias", (width,))
            x = twice(f"up{level}", width)(jnp.concatenate([kept[level], x], axis=-1))
        return conv(parameter, "pixels", x, self.classes, 1)


@dataclass
class MobileNet:
    """MobileNet (Howard et al. 2017): convolutions of every channel by itself, then of every pixel."""

    batch: int = 32
    image: int = 224
    classes: int = 1000

    def inputs(self, dtype):
        """Shapes of the images and of the labels."""
        return (
            jax.ShapeDtypeStruct((self.batch, self.image, self.image, 3), dtype),
            jax.ShapeDtypeStruct((self.batch,), jnp.int32),
        )

    def forward(self, parameter, x):
        """Logits per image."""
        x = conv_norm_relu(parameter, "stem", x, 32, 3, 2)
        shapes = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]
        for index, (width, stride) in enumerate(shapes):

            def unit(x, name=f"unit{index}", width=width, stride=stride):
                channels = x.shape[-1]
                y = conv(parameter, f"{name}/deep", x, channels, 3, stride, bias=False, groups=channels)
                y = jax.nn.relu(batch_norm(parameter, f"{name}/deep/norm", y))
                return conv_norm_relu(parameter, f"{name}/point", y, width, 1)

            x = block(unit)(x)
        return dense(parameter, "classes", global_average(x), self.classes)


@dataclass
class AveragePooled:
    """Convolutions in pairs, with normalisation, and average pooling after each pair: LeNet's way (LeCun et al. 1998) at today's widths."""

    batch: int = 16
    image: int = 64
    classes: int = 10
    width: int = 32
    levels: int = 3

    def inputs(self, dtype):
        """Shapes of the images and of the labels."""
        return (
            jax.ShapeDtypeStruct((self.batch, self.image, self.image, 3), dtype),
            jax.ShapeDtypeStruct((self.batch,), jnp.int32),
        )

    def forward(self, parameter, x):
        """Logits per image."""
        for level in range(self.levels):

            def both(x, level=level, width=self.width << level):
                x = conv_norm_relu(parameter, f"level{level}/0", x, width, 3)
                return average_pool(conv_norm_relu(parameter, f"level{level}/1", x, width, 3), 2)

            x = block(both)(x)
        x = conv_norm_relu(parameter, "last", x, self.width << self.levels, 3)
        return dense(parameter, "classes", global_average(x), self.classes)
