"""Checks gradients of convolutions, as they are exported, against eager ones. Needs torch alone."""

import itertools

import pytest

torch = pytest.importorskip("torch")

from ballast.export._torch_convolutions import decomposition  # noqa: E402

aten = torch.ops.aten
SIZES, KERNEL = [11, 9, 8], [3, 2, 3]
#: Groups, and channels of one: of the input and of the result.
CHANNELS = [(1, 3, 4), (2, 2, 3), (6, 1, 1), (4, 1, 2)]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_gradients_are_eager_ones(dimensions, transposed):
    """Of any stride, padding and dilation, of groups and of depthwise convolutions."""
    torch.manual_seed(0)
    backward = decomposition("stablehlo")
    own = 0
    for (groups, channels, results), stride, padding, dilation in itertools.product(CHANNELS, (1, 2, 3), (0, 1, 3), (1, 2)):
        x = torch.randn(2, groups * channels, *SIZES[:dimensions], dtype=torch.float64)
        sizes = (groups * channels, results) if transposed else (groups * results, channels)
        weight = torch.randn(*sizes, *KERNEL[:dimensions], dtype=torch.float64)
        how = [[stride] * dimensions, [padding] * dimensions, [dilation] * dimensions, transposed, [0] * dimensions, groups]
        gradient = torch.randn_like(aten.convolution(x, weight, None, *how))
        found = backward(gradient, x, weight, [groups * results], *how, [True] * 3)
        if found is NotImplemented:
            continue
        own += 1
        expected = aten.convolution_backward(gradient, x, weight, [groups * results], *how, [True] * 3)
        torch.testing.assert_close(found, expected, check_stride=False, msg=lambda text: f"{how}: {text}")
    assert own >= 54


def test_a_kernel_below_the_stride_and_padding_beyond_the_kernel():
    """Rows that no window reaches have no gradient; what lies in the padding alone is cut off."""
    torch.manual_seed(0)
    for size, stride, padding in ((1, 3, 0), (1, 1, 2), (2, 3, 4)):
        x, weight = torch.randn(2, 4, 11, dtype=torch.float64), torch.randn(4, 1, size, dtype=torch.float64)
        how = [[stride], [padding], [1], False, [0], 4]
        gradient = torch.randn_like(aten.convolution(x, weight, None, *how))
        found = decomposition("linalg")(gradient, x, weight, [4], *how, [True, True, False])
        expected = aten.convolution_backward(gradient, x, weight, [4], *how, [True, True, False])
        torch.testing.assert_close(found[:2], expected[:2], check_stride=False)
        assert found[2] is None
