//! Closed formulas for the work of common layers, in two countings.
//!
//! *Fused*: a multiply-add is two operations, the counting of most of the literature. *Exact*: the counting of
//! Cai and Zheng, "Genetic algorithm design for deep learning node allocation", Journal of Chinese Computer
//! Systems 42(6), 2021: a sum of n products is n multiplications and n - 1 additions; a convolution counts its
//! k x k window that way for every pair of an input and an output channel. Bias is left out. The two differ by
//! one operation per sum.
//!
//! Convolutions count every position of the window, those over padding included, as those formulas and the
//! published totals of networks do.

use serde::{Deserialize, Serialize};

/// How operations are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counting {
    /// A multiply-add is two operations.
    #[default]
    Fused,
    /// A sum of n products is 2n - 1 operations.
    Exact,
}

/// Operations of so many sums of `length` products each; saturating.
#[must_use]
pub fn sums_of_products(sums: u64, length: u64, counting: Counting) -> u64 {
    let each = match counting {
        Counting::Fused => length.saturating_mul(2),
        Counting::Exact => length.saturating_mul(2).saturating_sub(1),
    };
    sums.saturating_mul(each)
}

/// A convolution by its output points and its window; one image unless `output_points` counts the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convolution {
    /// Output positions: height x width of the result, times the batch.
    pub output_points: u64,
    /// Output channels.
    pub output_channels: u64,
    /// Input channels each output channel reads: those of its feature group.
    pub input_channels: u64,
    /// Positions of the window: k² for a square one.
    pub window: u64,
}

impl Convolution {
    /// Operations. Exact: `points · c_out · c_in · (k² + (k² - 1))`.
    #[must_use]
    pub fn operations(&self, counting: Counting) -> u64 {
        let sums =
            self.output_points.saturating_mul(self.output_channels).saturating_mul(self.input_channels);
        sums_of_products(sums, self.window, counting)
    }

    /// Elements of input, kernel and output, given the positions of the input:
    /// `c_in · points_in + c_out · c_in · k² + c_out · points_out`.
    #[must_use]
    pub fn elements(&self, input_points: u64) -> u64 {
        let kernel = self.output_channels.saturating_mul(self.input_channels).saturating_mul(self.window);
        self.input_channels
            .saturating_mul(input_points)
            .saturating_add(kernel)
            .saturating_add(self.output_channels.saturating_mul(self.output_points))
    }
}

/// A dense layer: `rows x inner` times `inner x columns`, bias left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    /// Rows of the left operand, times any batch.
    pub rows: u64,
    /// Length of each sum.
    pub inner: u64,
    /// Columns of the right operand.
    pub columns: u64,
}

impl Dense {
    /// Operations. Exact: `rows · columns · (2 · inner - 1)`.
    #[must_use]
    pub fn operations(&self, counting: Counting) -> u64 {
        sums_of_products(self.rows.saturating_mul(self.columns), self.inner, counting)
    }

    /// Elements of both operands and the result.
    #[must_use]
    pub fn elements(&self) -> u64 {
        let left = self.rows.saturating_mul(self.inner);
        let right = self.inner.saturating_mul(self.columns);
        left.saturating_add(right).saturating_add(self.rows.saturating_mul(self.columns))
    }
}

/// A window reduction (pooling): one operation joins each further position of the window. The paper names a
/// predictor of pooling's own without printing it; this is our reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pooling {
    /// Elements of the result.
    pub outputs: u64,
    /// Positions of the window.
    pub window: u64,
}

impl Pooling {
    /// Operations: `outputs · (k² - 1)`, the same in both countings.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.outputs.saturating_mul(self.window.saturating_sub(1))
    }

    /// Elements of input and result, given the elements of the input: there are no weights.
    #[must_use]
    pub fn elements(&self, inputs: u64) -> u64 {
        inputs.saturating_add(self.outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Cluster;
    use crate::graph::Arithmetic;

    const BYTES_OF_F32: u64 = 4;

    fn board_chip_milliseconds(operations: u64) -> f64 {
        let chip = Cluster::parse("board-chip").unwrap();
        operations as f64 / chip.devices[0].peak(Arithmetic::F32) * 1e3
    }

    #[test]
    fn the_printed_convolution_is_met() {
        // 3x128x128, 16 kernels of 3x3x3, stride 2, output 64x64.
        let layer = Convolution { output_points: 64 * 64, output_channels: 16, input_channels: 3, window: 9 };
        let operations = layer.operations(Counting::Exact);
        assert_eq!(operations, 3_342_336);
        assert_eq!(layer.operations(Counting::Fused), 2 * 64 * 64 * 16 * 27);
        assert_eq!(layer.elements(128 * 128), 115_120);
        assert_eq!(layer.elements(128 * 128) * BYTES_OF_F32, 460_480);
        assert!((board_chip_milliseconds(operations) - 0.259_700).abs() < 5e-7);
    }

    #[test]
    fn the_printed_dense_layer_is_met() {
        let layer = Dense { rows: 128, inner: 1024, columns: 100 };
        let operations = layer.operations(Counting::Exact);
        assert_eq!(operations, 26_201_600);
        assert_eq!(layer.operations(Counting::Fused), 2 * 128 * 1024 * 100);
        assert_eq!(layer.elements(), 246_272);
        assert_eq!(layer.elements() * BYTES_OF_F32, 985_088);
        assert!((board_chip_milliseconds(operations) - 2.035_866).abs() < 5e-7);
    }

    #[test]
    fn the_ten_layers_of_the_paper_take_the_printed_time() {
        let convolution = |points, channels_in, channels_out| {
            let layer = Convolution {
                output_points: points,
                output_channels: channels_out,
                input_channels: channels_in,
                window: 9,
            };
            layer.operations(Counting::Exact)
        };
        let dense = |inner, columns| Dense { rows: 128, inner, columns }.operations(Counting::Exact);
        let layers = [
            convolution(64 * 64, 3, 16),
            convolution(32 * 32, 16, 64),
            convolution(32 * 32, 64, 64),
            convolution(32 * 32, 64, 64),
            convolution(32 * 32, 64, 128),
            dense(1024, 100),
            dense(100, 1024),
            dense(1024, 100),
            dense(100, 512),
            dense(512, 10),
        ];
        assert_eq!(layers[4], 142_606_336);
        assert!((board_chip_milliseconds(layers[4]) - 11.080_523).abs() < 5e-7);
        assert!((board_chip_milliseconds(layers.iter().sum()) - 31.019).abs() < 5e-4);
    }

    #[test]
    fn pooling_joins_the_positions_of_its_window() {
        // 16x64x64 under windows of 2x2, stride 2: three operations join four positions.
        let layer = Pooling { outputs: 16 * 32 * 32, window: 4 };
        assert_eq!((layer.operations(), layer.elements(16 * 64 * 64)), (49_152, 81_920));
    }

    #[test]
    fn counts_saturate_instead_of_wrapping() {
        let huge = Dense { rows: u64::MAX, inner: u64::MAX, columns: 2 };
        assert_eq!(huge.operations(Counting::Fused), u64::MAX);
        assert_eq!(Dense { rows: 3, inner: 0, columns: 2 }.operations(Counting::Exact), 0);
        assert_eq!(Pooling { outputs: 10, window: 0 }.operations(), 0);
    }
}
