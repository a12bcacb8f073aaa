"""Models that nobody tuned for, at their real depth and a width that a CPU runs in seconds: each a function to a module and its batch."""

import sys

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """A block as Llama has it: root-mean-square norms, rotary positions, causal attention with fewer keys than queries, a gated MLP."""

    def __init__(self, width, heads, length):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(2))
        self.query, self.keys = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate, self.up, self.down = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, 3 * width, bias=False), nn.Linear(3 * width, width, bias=False)
        angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, self.size, 2) / self.size)
        self.register_buffer("cos", angles.cos().repeat(1, 2))
        self.register_buffer("sin", angles.sin().repeat(1, 2))

    def turned(self, x):
        low, high = x.chunk(2, -1)
        return x * self.cos + torch.cat([-high, low], -1) * self.sin

    def forward(self, x):
        batch, length, width = x.shape
        normed = self.norms[0](x)
        query = self.query(normed).view(batch, length, self.heads, self.size).transpose(1, 2)
        key, value = self.keys(normed).view(batch, length, 2, self.heads // 2, self.size).permute(2, 0, 3, 1, 4)
        key, value = (half.repeat_interleave(2, 1) for half in (self.turned(key), value))
        seen = functional.scaled_dot_product_attention(self.turned(query), key, value, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
        normed = self.norms[1](x)
        return x + self.down(functional.silu(self.gate(normed)) * self.up(normed))


class Net(nn.Module):
    """A U-Net with four levels, batch normalisation, max pooling, and skips by concatenation."""

    def __init__(self, width=8, levels=4):
        super().__init__()
        widths = [width * 2**level for level in range(levels)]
        self.down = nn.ModuleList(self.double(inputs, outputs) for inputs, outputs in zip([3, *widths], widths, strict=False))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * size, size, 2, 2) for size in reversed(widths[:-1]))
        self.back = nn.ModuleList(self.double(2 * size, size) for size in reversed(widths[:-1]))
        self.head = nn.Conv2d(width, 2, 1)

    @staticmethod
    def double(inputs, outputs):
        layers = []
        for channels in (inputs, outputs):
            layers += [nn.Conv2d(channels, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]
        return nn.Sequential(*layers)

    def forward(self, x):
        skips = []
        for at, level in enumerate(self.down):
            x = level(functional.max_pool2d(x, 2) if at else x)
            skips.append(x)
        for up, back in zip(self.up, self.back, strict=True):
            skips.pop() if x is skips[-1] else None
            x = back(torch.cat([skips.pop(), up(x)], 1))
        return self.head(x)


class WithLoss(nn.Module):
    """The loss inside, so that all of the step is in the graph."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *batch):
        found = self.model(*batch)
        return getattr(found, "logits", found).float().square().mean()


def llama():
    """Four blocks."""
    return nn.Sequential(*(Block(128, 8, 128) for _ in range(4))), (torch.randn(4, 128, 128),)


def gpt2():
    """GPT-2 of `transformers`, twelve layers, dropout as it has it, embedding and head tied."""
    hf = _transformers()
    config = hf.GPT2Config(vocab_size=512, n_positions=128, n_embd=96, n_layer=12, n_head=12, use_cache=False, bos_token_id=0, eos_token_id=0)
    return hf.GPT2LMHeadModel(config), (torch.randint(0, 512, (4, 128)),)


def bert():
    """BERT of `transformers`, twelve layers, dropout as it has it."""
    hf = _transformers()
    config = hf.BertConfig(vocab_size=512, hidden_size=96, num_hidden_layers=12, num_attention_heads=12, intermediate_size=384, max_position_embeddings=128)
    return hf.BertForMaskedLM(config), (torch.randint(0, 512, (4, 128)),)


def vit():
    """ViT of `transformers`, twelve layers."""
    hf = _transformers()
    config = hf.ViTConfig(
        hidden_size=96, num_hidden_layers=12, num_attention_heads=3, intermediate_size=384, image_size=64, patch_size=8, num_labels=10,
        hidden_dropout_prob=0.1,
    )
    return hf.ViTForImageClassification(config), (torch.randn(4, 3, 64, 64),)


def unet():
    """The U-Net above."""
    return Net(), (torch.randn(2, 3, 64, 64),)


def resnet50():
    """ResNet-50 of `transformers`, a quarter as wide, images of 64 by 64."""
    hf = _transformers()
    return hf.ResNetForImageClassification(hf.ResNetConfig(embedding_size=16, hidden_sizes=[64, 128, 256, 512], num_labels=10)), (torch.randn(4, 3, 64, 64),)


class WideBlock(nn.Module):
    """A decoder's block in plain torch."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inner, self.outer = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        query, key, value = self.inner(self.before(x)).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.outer(seen.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.down(functional.gelu(self.up(self.between(x))))


def wide():
    """Eight blocks of width 2048 in bf16, 8 x 2048 tokens: parameters alone have memory, nothing of it is run."""
    blocks = nn.Sequential(*(WideBlock(2048, 16) for _ in range(8))).to(torch.bfloat16)
    return blocks, (torch.empty(8, 2048, 2048, dtype=torch.bfloat16),)


def _transformers():
    try:
        import transformers
    except ImportError:
        sys.exit("bench: error: transformers is not installed: `cargo xtask test-python --torch` makes an environment that has it")
    return transformers


MODELS = {make.__name__: make for make in (llama, gpt2, vit, unet, resnet50, bert)}
