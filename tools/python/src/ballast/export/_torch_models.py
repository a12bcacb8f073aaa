"""The models of ballast.export.torch: torch.nn modules with the shapes of one batch.

Every class is a dataclass whose fields become options on the command line. `module()` returns the network, `inputs()`
the shapes of its input and of the labels. Images are NCHW. Batch normalisation is written as arithmetic, since
torch-mlir does not take the framework's own one in training; dropout is left out.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


class BatchNorm(nn.Module):
    """Normalises each channel by the statistics of the batch; running averages are left out."""

    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        """Same shape as `x`."""
        mean = x.mean(dim=(0, 2, 3), keepdim=True)
        variance = ((x - mean) * (x - mean)).mean(dim=(0, 2, 3), keepdim=True)
        normal = (x - mean) * torch.rsqrt(variance + 1e-5)
        return normal * self.scale[:, None, None] + self.shift[:, None, None]


def conv_norm(entering, leaving, kernel, stride=1):
    """Convolution without bias, then batch normalisation."""
    convolution = nn.Conv2d(entering, leaving, kernel, stride, kernel // 2, bias=False)
    return nn.Sequential(convolution, BatchNorm(leaving))


@dataclass
class Images:
    """What image classifiers share."""

    batch: int = 32
    image: int = 224
    classes: int = 1000

    def inputs(self):
        """Images and labels."""
        return (self.batch, 3, self.image, self.image), (self.batch,)


@dataclass
class Mlp:
    """Dense layers with ReLU between them: features, then `layers` times `width`, then classes."""

    batch: int = 128
    features: int = 784
    width: int = 512
    layers: int = 2
    classes: int = 10

    def inputs(self):
        """Rows and labels."""
        return (self.batch, self.features), (self.batch,)

    def module(self):
        """The network."""
        parts = []
        for layer in range(self.layers):
            parts += [nn.Linear(self.width if layer else self.features, self.width), nn.ReLU()]
        return nn.Sequential(*parts, nn.Linear(self.width, self.classes))


@dataclass
class Vgg16(Images):
    """VGG16 (Simonyan and Zisserman 2014); images must be a multiple of 32 pixels."""

    hidden: int = 4096

    def __post_init__(self):
        if self.image % 32:
            raise ValueError(f"--image {self.image} is not a multiple of 32")

    def module(self):
        """The network."""
        parts, entering = [], 3
        for width, depth in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
            for _ in range(depth):
                parts += [nn.Conv2d(entering, width, 3, padding=1), nn.ReLU()]
                entering = width
            parts.append(nn.MaxPool2d(2))
        parts += [nn.Flatten(), nn.Linear(512 * (self.image // 32) ** 2, self.hidden), nn.ReLU()]
        parts += [nn.Linear(self.hidden, self.hidden), nn.ReLU(), nn.Linear(self.hidden, self.classes)]
        return nn.Sequential(*parts)


class Residual(nn.Module):
    """A residual block: `body` beside a shortcut that is projected where the shape changes."""

    def __init__(self, body, shortcut):
        super().__init__()
        self.body, self.shortcut = body, shortcut

    def forward(self, x):
        """Sum of both ways, then ReLU."""
        return torch.relu(self.body(x) + self.shortcut(x))


class GlobalAverage(nn.Module):
    """Mean over space."""

    def forward(self, x):
        """[batch, channels]."""
        return x.mean(dim=(2, 3))


def residual_network(shape, depths, expansion, body):
    """Residual network (He et al. 2015): stages of `depths` blocks, `body(entering, width, stride)` each.

    A block of inner width w leaves `expansion` times w channels. Below 64 pixels the stem is one 3x3 convolution, as
    is usual for CIFAR.
    """
    if shape.image < 64:
        parts = [conv_norm(3, 64, 3), nn.ReLU()]
    else:
        parts = [conv_norm(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    entering = 64
    for stage, depth in enumerate(depths):
        width = 64 << stage
        for block in range(depth):
            stride = 2 if stage > 0 and block == 0 else 1
            same = stride == 1 and entering == expansion * width
            shortcut = nn.Identity() if same else conv_norm(entering, expansion * width, 1, stride)
            parts.append(Residual(body(entering, width, stride), shortcut))
            entering = expansion * width
    return nn.Sequential(*parts, GlobalAverage(), nn.Linear(entering, shape.classes))


@dataclass
class ResNet18(Images):
    """ResNet-18. Below 64 pixels the stem is one 3x3 convolution."""

    def module(self):
        """The network."""
        return residual_network(self, (2, 2, 2, 2), 1, self._body)

    @staticmethod
    def _body(entering, width, stride):
        return nn.Sequential(conv_norm(entering, width, 3, stride), nn.ReLU(), conv_norm(width, width, 3))


@dataclass
class ResNet50(Images):
    """ResNet-50, stride in the 3x3. Below 64 pixels the stem is one 3x3 convolution."""

    def module(self):
        """The network."""
        return residual_network(self, (3, 4, 6, 3), 4, self._body)

    @staticmethod
    def _body(entering, width, stride):
        reduce, spatial = conv_norm(entering, width, 1), conv_norm(width, width, 3, stride)
        return nn.Sequential(reduce, nn.ReLU(), spatial, nn.ReLU(), conv_norm(width, 4 * width, 1))


class Block(nn.Module):
    """One decoder layer: causal attention and a feed-forward network, normalisation first."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mixed, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))

    def forward(self, x):
        """[batch, sequence, width], as `x`."""
        batch, length, width = x.shape
        parts = self.mixed(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        scores = query @ key.transpose(-1, -2) / (width // self.heads) ** 0.5
        places = torch.arange(length)
        scores = torch.where(places[None, :] <= places[:, None], scores, torch.finfo(scores.dtype).min)
        joined = (torch.softmax(scores, dim=-1) @ value).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(joined)
        return x + self.feed(self.norm2(x))


class Decoder(nn.Module):
    """Tokens to logits over the vocabulary, output weights tied to the embedding."""

    def __init__(self, shape):
        super().__init__()
        self.tokens = nn.Parameter(torch.empty(shape.vocabulary, shape.width))
        self.positions = nn.Parameter(torch.empty(shape.sequence, shape.width))
        self.layers = nn.Sequential(*(Block(shape.width, shape.heads) for _ in range(shape.layers)))
        self.norm = nn.LayerNorm(shape.width)

    def forward(self, tokens):
        """[batch, sequence, vocabulary]."""
        x = functional.embedding(tokens, self.tokens) + self.positions
        return self.norm(self.layers(x)) @ self.tokens.t()


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

    def inputs(self):
        """Tokens and the tokens to predict."""
        return (self.batch, self.sequence), (self.batch, self.sequence)

    def module(self):
        """The network."""
        return Decoder(self)


MODELS = {"mlp": Mlp, "vgg16": Vgg16, "resnet18": ResNet18, "resnet50": ResNet50, "gpt2": Gpt2}
