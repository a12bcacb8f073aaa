"""Small models of the kinds that run out of memory, each with a batch."""

import torch
from torch import nn
from torch.nn import functional


class Inside(nn.Module):
    """A model with its loss."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *batch):
        return self.model(*batch).square().mean()


class Net(nn.Module):
    """A U-Net with two levels, batch normalisation and max pooling."""

    def __init__(self, width=8):
        super().__init__()
        self.down, self.low = self.block(3, width), self.block(width, 2 * width)
        self.up, self.last = nn.ConvTranspose2d(2 * width, width, 2, 2), self.block(2 * width, width)
        self.head = nn.Conv2d(width, 2, 1)

    @staticmethod
    def block(inputs, outputs):
        layers = []
        for channels in (inputs, outputs):
            layers += [nn.Conv2d(channels, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]
        return nn.Sequential(*layers)

    def forward(self, x):
        high = self.down(x)
        low = self.up(self.low(functional.max_pool2d(high, 2)))
        return self.head(self.last(torch.cat([high, low], 1)))


class Residual(nn.Module):
    """A small ResNet."""

    def __init__(self, width=8):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3, 1, 1, bias=False),
                nn.BatchNorm2d(width),
            ) for _ in range(4)
        )
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = functional.relu(block(x) + x)
        return self.head(x.mean((2, 3)))


class Autoencoder(nn.Module):
    """Its loss is a number that torch's CPU allocator holds a buffer of the size of its arguments for: by count the step takes less than it does."""

    def __init__(self, blocks):
        super().__init__()
        widths = [3, *[16] * blocks]
        layers = [part for inputs, outputs in zip(widths, widths[1:], strict=False) for part in (nn.Conv2d(inputs, outputs, 3, 1, 1), nn.SiLU())]
        self.layers = nn.Sequential(*layers, nn.Conv2d(16, 3, 3, 1, 1))

    def forward(self, x):
        return functional.mse_loss(self.layers(x), x)


def perceptron(width=64, layers=6, activation=nn.Tanh):
    """Layers of one width, each a module."""
    return nn.Sequential(*(nn.Sequential(nn.Linear(width, width), activation()) for _ in range(layers)))


def encoder(dropout):
    """A transformer encoder."""
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=dropout, batch_first=True)
    return nn.TransformerEncoder(layer, 3), (torch.randn(4, 24, 32),)


MODELS = {
    "encoder": lambda: encoder(0.0),
    "encoder with dropout": lambda: encoder(0.1),
    "unet": lambda: (Net(), (torch.randn(2, 3, 32, 32),)),
    "resnet": lambda: (Residual(), (torch.randn(4, 3, 48, 48),)),
}


def transformers_models():
    """Models of `transformers` from configurations, with dropout as they have it."""
    import transformers as hf

    ids = torch.randint(0, 128, (2, 32))
    small = {"vocab_size": 128, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    return {
        "gpt2": lambda: (
            hf.GPT2LMHeadModel(hf.GPT2Config(vocab_size=128, n_positions=32, n_embd=32, n_layer=2, n_head=4, use_cache=False, bos_token_id=0, eos_token_id=0)), (ids,)
        ),
        "bert": lambda: (hf.BertForMaskedLM(hf.BertConfig(**small, max_position_embeddings=32)), (ids,)),
        "llama": lambda: (
            hf.LlamaForCausalLM(hf.LlamaConfig(**small, num_key_value_heads=2, max_position_embeddings=32, use_cache=False)), (ids,)
        ),
        "vit": lambda: (
            hf.ViTForImageClassification(hf.ViTConfig(
                hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, image_size=32, patch_size=8, num_labels=10
            )), (torch.randn(2, 3, 32, 32),)
        ),
    }


def chain(blocks=4):
    """Residual blocks in a row, for pipelines."""
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.up, self.down = nn.LayerNorm(32), nn.Linear(32, 96), nn.Linear(96, 32)

        def forward(self, x):
            return x + self.down(functional.gelu(self.up(self.norm(x))))

    return nn.Sequential(*(Block() for _ in range(blocks)))
