//! The layers of a layer file as work that is really done: 32-bit floats, direct loops.

use ballast_partition::genetic::{LayerFile, LayerKind};

use crate::failure::Failure;

/// One layer with its weights.
pub(super) struct Layer {
    kind: LayerKind,
    weights: Vec<f32>,
    /// Elements of its result.
    pub(super) outputs: usize,
    /// Elements it reads.
    pub(super) inputs: usize,
}

/// Elements of one array, at most: 4 GiB of floats.
const MOST_ELEMENTS: u64 = 1 << 30;

/// The layers of a file with weights that are the same on every rank.
///
/// # Errors
/// Layers that are only counted, arrays too large, and layers whose results are not what the next one reads.
pub(super) fn layers(file: &LayerFile) -> Result<Vec<Layer>, Failure> {
    let mut made: Vec<Layer> = Vec::new();
    for layer in &file.layers {
        let refuse = |reason: &str| Failure::BadInput(format!("layer '{}': {reason}", layer.name));
        let product = |sizes: &[u64]| {
            let all = sizes.iter().try_fold(1u64, |all, &size| all.checked_mul(size));
            all.filter(|&count| count <= MOST_ELEMENTS)
                .and_then(|count| usize::try_from(count).ok())
                .ok_or_else(|| refuse("an array of more than 2^30 elements cannot be run"))
        };
        let (inputs, weights, outputs) = match layer.kind {
            LayerKind::Convolution { channels_in, height, width, channels_out, kernel, stride } => (
                product(&[channels_in, height, width])?,
                product(&[channels_out, channels_in, kernel, kernel])?,
                product(&[channels_out, height.div_ceil(stride), width.div_ceil(stride)])?,
            ),
            LayerKind::Dense { rows, inputs, outputs } => {
                (product(&[rows, inputs])?, product(&[inputs, outputs])?, product(&[rows, outputs])?)
            }
            LayerKind::Pooling { channels, height, width, stride, .. } => (
                product(&[channels, height, width])?,
                0,
                product(&[channels, height.div_ceil(stride), width.div_ceil(stride)])?,
            ),
            LayerKind::Counted { .. } => {
                return Err(refuse(
                    "it is only counted: processes need a convolution, a pooling or a dense layer",
                ));
            }
        };
        if let Some(before) = made.last()
            && before.outputs != inputs
        {
            return Err(refuse(&format!(
                "it reads {inputs} elements and the layer before makes {}",
                before.outputs
            )));
        }
        // Any numbers do; these keep results of a like size from layer to layer.
        let scale = (outputs as f32 / weights.max(1) as f32).sqrt();
        let weights = (0..weights).map(|i| scale * ((i * 7919 % 1009) as f32 / 504.5 - 1.0)).collect();
        made.push(Layer { kind: layer.kind, weights, outputs, inputs });
    }
    Ok(made)
}

impl Layer {
    /// Computes the layer.
    pub(super) fn run(&self, input: &[f32]) -> Vec<f32> {
        let mut output = vec![0.0; self.outputs];
        match self.kind {
            LayerKind::Convolution { channels_in, height, width, channels_out, kernel, stride } => {
                let [c_in, rows, columns, c_out, side, step] =
                    [channels_in, height, width, channels_out, kernel, stride].map(|size| size as usize);
                let (out_rows, out_columns) = (rows.div_ceil(step), columns.div_ceil(step));
                // As much before as after, the odd one after.
                let pad = |size: usize, out: usize| ((out - 1) * step + side).saturating_sub(size) / 2;
                let (top, left) = (pad(rows, out_rows), pad(columns, out_columns));
                for o in 0..c_out {
                    let plane = &mut output[o * out_rows * out_columns..][..out_rows * out_columns];
                    for i in 0..c_in {
                        let image = &input[i * rows * columns..][..rows * columns];
                        let window = &self.weights[(o * c_in + i) * side * side..][..side * side];
                        for (y, line) in plane.chunks_exact_mut(out_columns).enumerate() {
                            for ky in 0..side {
                                let Some(row) = (y * step + ky).checked_sub(top).filter(|&row| row < rows)
                                else {
                                    continue;
                                };
                                let source = &image[row * columns..][..columns];
                                for kx in 0..side {
                                    let weight = window[ky * side + kx];
                                    // The columns whose source x * step + kx - left is one.
                                    let from = left.saturating_sub(kx).div_ceil(step).min(out_columns);
                                    let to = (columns + left).saturating_sub(kx).div_ceil(step);
                                    let to = to.clamp(from, out_columns);
                                    let first = (from * step + kx).saturating_sub(left);
                                    let values = source.get(first..).unwrap_or_default().iter().step_by(step);
                                    for (sum, value) in line[from..to].iter_mut().zip(values) {
                                        *sum += weight * value;
                                    }
                                }
                            }
                        }
                    }
                }
            }
            LayerKind::Dense { inputs, outputs, .. } => {
                let (inner, columns) = (inputs as usize, outputs as usize);
                for (row, sums) in input.chunks_exact(inner).zip(output.chunks_exact_mut(columns)) {
                    for (&value, weights) in row.iter().zip(self.weights.chunks_exact(columns)) {
                        for (sum, weight) in sums.iter_mut().zip(weights) {
                            *sum += value * weight;
                        }
                    }
                }
            }
            LayerKind::Pooling { height, width, window, stride, .. } => {
                let [rows, columns, side, step] = [height, width, window, stride].map(|size| size as usize);
                let (out_rows, out_columns) = (rows.div_ceil(step), columns.div_ceil(step));
                let pad = |size: usize, out: usize| ((out - 1) * step + side).saturating_sub(size) / 2;
                let (top, left) = (pad(rows, out_rows), pad(columns, out_columns));
                let images = input.chunks_exact(rows * columns);
                for (image, plane) in images.zip(output.chunks_exact_mut(out_rows * out_columns)) {
                    for (place, largest) in plane.iter_mut().enumerate() {
                        let window = |at: usize, before: usize, size: usize| {
                            let first = at * step;
                            first.saturating_sub(before)..(first + side).saturating_sub(before).min(size)
                        };
                        let lines = window(place / out_columns, top, rows);
                        let across = window(place % out_columns, left, columns);
                        let values = lines.flat_map(|row| &image[row * columns..][across.clone()]);
                        *largest = values.copied().fold(f32::NEG_INFINITY, f32::max);
                    }
                }
            }
            LayerKind::Counted { .. } => {}
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(kind: &str) -> Layer {
        let text = format!("name = \"m\"\n[[layer]]\nname = \"l\"\n{kind}\n");
        layers(&LayerFile::parse(&text).expect("a layer file")).expect("layers").remove(0)
    }

    #[test]
    fn dense_layers_multiply_matrices() {
        let mut layer = one("kind = \"dense\"\nrows = 2\ninputs = 3\noutputs = 2");
        layer.weights = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(layer.run(&[1.0, 0.0, 2.0, 0.0, 1.0, 0.0]), [11.0, 14.0, 3.0, 4.0]);
    }

    #[test]
    fn convolutions_slide_and_pad() {
        let shape = "channels_in = 1\nheight = 3\nwidth = 3\nchannels_out = 1\nkernel = 3";
        let mut layer = one(&format!("kind = \"convolution\"\n{shape}\nstride = 1"));
        layer.weights = vec![1.0; 9];
        let image: Vec<f32> = (1..=9u8).map(f32::from).collect();
        assert_eq!(layer.run(&image), [12.0, 21.0, 16.0, 27.0, 45.0, 33.0, 24.0, 39.0, 28.0]);
        let mut layer = one(&format!("kind = \"convolution\"\n{shape}\nstride = 2"));
        layer.weights = vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(layer.run(&image), [1.0, 3.0, 7.0, 9.0]);
    }

    #[test]
    fn pooling_takes_the_largest_of_every_window() {
        let shape = "kind = \"pooling\"\nchannels = 2\nheight = 3\nwidth = 3\nwindow";
        let image: Vec<f32> = (1..=9u8).chain((1..=9).rev()).map(f32::from).collect();
        let halved = one(&format!("{shape} = 2\nstride = 2"));
        assert_eq!(halved.run(&image), [5.0, 6.0, 8.0, 9.0, 9.0, 7.0, 3.0, 1.0]);
        let padded = one(&format!("{shape} = 3\nstride = 2"));
        assert_eq!(padded.run(&image), [5.0, 6.0, 8.0, 9.0, 9.0, 8.0, 6.0, 5.0]);
    }

    #[test]
    fn layers_that_do_not_follow_each_other_are_refused() {
        let dense = |name: &str, inputs, outputs| {
            format!(
                "[[layer]]\nname = \"{name}\"\nkind = \"dense\"\nrows = 1\ninputs = {inputs}\noutputs = {outputs}\n"
            )
        };
        let refused = |text: String| {
            let file = LayerFile::parse(&format!("name = \"m\"\n{text}")).expect("a layer file");
            layers(&file).map(|_| ()).expect_err("refused").message().to_owned()
        };
        assert!(refused(dense("a", 2, 3) + &dense("b", 4, 1)).contains("'b': it reads 4 elements"));
        let counted =
            "[[layer]]\nname = \"c\"\nkind = \"counted\"\noperations = 1\nelements = 1\noutputs = 1\n";
        assert!(refused(counted.into()).contains("'c': it is only counted"));
        assert!(refused(dense("a", 1 << 20, 1 << 20)).contains("2^30"));
    }
}
