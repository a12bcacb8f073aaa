//! Layer files: a model as a list of layers with their shapes, in TOML.

use ballast_core::predictor::{Convolution, Counting, Dense, Pooling};
use serde::{Deserialize, Serialize};

use super::table::{LayerTable, PlacementError};

/// What a layer computes, with its shape; all dimensions are at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LayerKind {
    /// `channels_in` x `height` x `width` under `channels_out` square kernels, padded so that the output has
    /// ceil(height / stride) rows.
    Convolution {
        /// Input channels.
        channels_in: u64,
        /// Input rows.
        height: u64,
        /// Input columns.
        width: u64,
        /// Output channels.
        channels_out: u64,
        /// Kernel side.
        kernel: u64,
        /// Step of the kernel.
        stride: u64,
    },
    /// `rows` x `inputs` times `inputs` x `outputs`.
    Dense {
        /// Rows of the left factor.
        rows: u64,
        /// Shared dimension.
        inputs: u64,
        /// Columns of the right factor.
        outputs: u64,
    },
    /// The largest of every square window of each channel, padded so that the output has ceil(height / stride) rows. One
    /// operation joins each further position of a window; no weights are stored. \[D\] names a predictor of pooling's own and
    /// does not print it: our reading.
    Pooling {
        /// Channels.
        channels: u64,
        /// Input rows.
        height: u64,
        /// Input columns.
        width: u64,
        /// Window side.
        window: u64,
        /// Step of the window.
        stride: u64,
    },
    /// A layer counted elsewhere.
    Counted {
        /// Arithmetic operations.
        operations: u64,
        /// Elements stored: inputs, weights and outputs.
        elements: u64,
        /// Elements sent to the next layer.
        outputs: u64,
    },
}

/// One layer of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// Name for messages and reports.
    pub name: String,
    /// What it computes.
    #[serde(flatten)]
    pub kind: LayerKind,
}

/// A model as a list of layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerFile {
    /// Name of the model.
    pub name: String,
    /// Bytes of one element.
    #[serde(default = "four")]
    pub element_bytes: u64,
    /// In run order.
    #[serde(rename = "layer")]
    pub layers: Vec<Layer>,
}

fn four() -> u64 {
    4
}

/// Operations, stored elements and output elements of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    operations: u64,
    elements: u64,
    outputs: u64,
}

impl LayerKind {
    /// Counted by the predictors of \[D\]; none where a dimension is 0 or a count exceeds 64 bits.
    fn counts(self) -> Option<Counts> {
        let counts = match self {
            LayerKind::Convolution { channels_in, height, width, channels_out, kernel, stride } => {
                if [channels_in, height, width, channels_out, kernel, stride].contains(&0) {
                    return None;
                }
                let output_points = height.div_ceil(stride).checked_mul(width.div_ceil(stride))?;
                let layer = Convolution {
                    output_points,
                    output_channels: channels_out,
                    input_channels: channels_in,
                    window: kernel.checked_mul(kernel)?,
                };
                Counts {
                    operations: layer.operations(Counting::Exact),
                    elements: layer.elements(height.checked_mul(width)?),
                    outputs: channels_out.checked_mul(output_points)?,
                }
            }
            LayerKind::Dense { rows, inputs, outputs } => {
                if [rows, inputs, outputs].contains(&0) {
                    return None;
                }
                let layer = Dense { rows, inner: inputs, columns: outputs };
                Counts {
                    operations: layer.operations(Counting::Exact),
                    elements: layer.elements(),
                    outputs: rows.checked_mul(outputs)?,
                }
            }
            LayerKind::Pooling { channels, height, width, window, stride } => {
                if [channels, height, width, window, stride].contains(&0) {
                    return None;
                }
                let points = height.div_ceil(stride).checked_mul(width.div_ceil(stride))?;
                let inputs = channels.checked_mul(height.checked_mul(width)?)?;
                let layer =
                    Pooling { outputs: channels.checked_mul(points)?, window: window.checked_mul(window)? };
                Counts {
                    operations: layer.operations(),
                    elements: layer.elements(inputs),
                    outputs: layer.outputs,
                }
            }
            LayerKind::Counted { operations, elements, outputs } => Counts { operations, elements, outputs },
        };
        // The predictors saturate.
        [counts.operations, counts.elements, counts.outputs].iter().all(|&c| c < u64::MAX).then_some(counts)
    }
}

impl LayerFile {
    /// Reads a layer file.
    ///
    /// # Errors
    /// [`PlacementError::Input`] for text that is not one, or that lists no layers.
    pub fn parse(text: &str) -> Result<Self, PlacementError> {
        let file: LayerFile = toml::from_str(text)
            .map_err(|error| PlacementError::Input(error.to_string().trim_end().into()))?;
        if file.layers.is_empty() {
            return Err(PlacementError::Input("the file lists no [[layer]]".into()));
        }
        Ok(file)
    }

    /// The placement problem of this model on devices with `rates[j]` operations per second and
    /// `memories[j]` bytes.
    ///
    /// # Errors
    /// [`PlacementError::Input`] for a layer whose counts are zero-sized or exceed 64 bits.
    pub fn table(&self, rates: &[f64], memories: &[u64]) -> Result<LayerTable, PlacementError> {
        let counts = self
            .layers
            .iter()
            .map(|layer| {
                let in_bytes = |elements: u64| elements.checked_mul(self.element_bytes).is_some();
                layer.kind.counts().filter(|c| in_bytes(c.elements) && in_bytes(c.outputs)).ok_or_else(|| {
                    PlacementError::Input(format!(
                        "layer '{}': dimensions are at least 1 and counts below 2^64",
                        layer.name
                    ))
                })
            })
            .collect::<Result<Vec<Counts>, _>>()?;
        let bytes: Vec<u64> = counts.iter().map(|c| c.elements * self.element_bytes).collect();
        let sent = counts.len().saturating_sub(1);
        let table = LayerTable {
            names: self.layers.iter().map(|layer| layer.name.clone()).collect(),
            seconds: rates
                .iter()
                .map(|rate| counts.iter().map(|c| c.operations as f64 / rate).collect())
                .collect(),
            bytes: vec![bytes; memories.len()],
            device_memory_bytes: memories.to_vec(),
            message_bytes: counts[..sent].iter().map(|c| c.outputs * self.element_bytes).collect(),
        };
        table.check()?;
        Ok(table)
    }
}
