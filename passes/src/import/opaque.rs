//! Parser of StableHLO's attribute texts, which MLIR keeps unread while that dialect is not loaded:
//! `dot<lhs_contracting_dimensions = [1], ..>` and `conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`.

use indexmap::IndexMap;

#[derive(Clone, Debug, PartialEq)]
enum Token<'t> {
    Word(&'t str),
    Number(i64),
    Sign(char),
}

fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match c {
            _ if c.is_ascii_alphabetic() || c == '_' => {
                // `[0]x[1]` and `0x1`: the sign between the lists is a word of its own.
                let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
                tokens.push(Token::Word(&rest[..length]));
                length
            }
            _ if c.is_ascii_digit() || (c == '-' && !rest.starts_with("->")) => {
                let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |at| at + 1);
                tokens.push(Token::Number(rest[..digits].parse().ok()?));
                digits
            }
            '-' => {
                tokens.push(Token::Sign('>'));
                tokens.push(Token::Sign('>'));
                2
            }
            _ if "[]<>,=?#.:".contains(c) => {
                tokens.push(Token::Sign(c));
                1
            }
            _ => return None,
        };
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

/// The fields of `name<field = [1, 2], other = 3>`; a field without a list is a list of one.
pub(crate) fn fields(text: &str, name: &str) -> Option<IndexMap<String, Vec<i64>>> {
    let tokens = tokens(text)?;
    let body = match tokens.as_slice() {
        [Token::Word(word), Token::Sign('<'), body @ .., Token::Sign('>')] if *word == name => body,
        _ => return None,
    };
    read_fields(body)
}

fn read_fields(mut body: &[Token<'_>]) -> Option<IndexMap<String, Vec<i64>>> {
    let mut fields = IndexMap::new();
    while let [Token::Word(field), Token::Sign('='), rest @ ..] = body {
        let (values, after) = match rest {
            [Token::Number(value), after @ ..] => (vec![*value], after),
            [Token::Sign('['), inner @ ..] => {
                let end = inner.iter().position(|token| *token == Token::Sign(']'))?;
                let values: Option<Vec<i64>> = inner[..end]
                    .iter()
                    .filter(|token| **token != Token::Sign(','))
                    .map(|token| match token {
                        Token::Number(value) => Some(*value),
                        _ => None,
                    })
                    .collect();
                (values?, &inner[end + 1..])
            }
            _ => return None,
        };
        fields.insert((*field).to_owned(), values);
        body = match after {
            [Token::Sign(','), next @ ..] => next,
            _ => after,
        };
    }
    body.is_empty().then_some(fields)
}

/// Which dimension of input, kernel and output is what in a convolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConvolutionDims {
    pub(crate) input_spatial: Vec<usize>,
    pub(crate) kernel_input_feature: usize,
    pub(crate) kernel_spatial: Vec<usize>,
    pub(crate) output_spatial: Vec<usize>,
    /// Are input, kernel and output laid out as `[b, 0, 1, .., f]`, `[0, 1, .., i, o]` and `[b, 0, 1, .., f]`?
    pub(crate) usual: [bool; 3],
}

/// Reads `conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`, or its raw form with one field per dimension.
pub(crate) fn convolution(text: &str) -> Option<ConvolutionDims> {
    let tokens = tokens(text)?;
    let body = match tokens.as_slice() {
        [Token::Word("conv"), Token::Sign('<'), body @ .., Token::Sign('>')] => body,
        _ => return None,
    };
    if let [Token::Word("raw"), body @ ..] = body {
        let fields = read_fields(body)?;
        let list = |name: &str| -> Option<Vec<usize>> {
            fields.get(name)?.iter().map(|&dim| usize::try_from(dim).ok()).collect()
        };
        let one = |name: &str| list(name)?.first().copied();
        let (input_spatial, kernel_spatial) =
            (list("input_spatial_dimensions")?, list("kernel_spatial_dimensions")?);
        let output_spatial = list("output_spatial_dimensions")?;
        let kernel_input_feature = one("kernel_input_feature_dimension")?;
        let axes = kernel_spatial.len();
        let ends_outside = |spatial: &[usize], batch, feature| {
            batch == Some(0) && feature == Some(axes + 1) && spatial.iter().copied().eq(1..=axes)
        };
        let usual = [
            ends_outside(&input_spatial, one("input_batch_dimension"), one("input_feature_dimension")),
            kernel_spatial.iter().copied().eq(0..axes)
                && kernel_input_feature == axes
                && one("kernel_output_feature_dimension") == Some(axes + 1),
            ends_outside(&output_spatial, one("output_batch_dimension"), one("output_feature_dimension")),
        ];
        return Some(ConvolutionDims {
            input_spatial,
            kernel_input_feature,
            kernel_spatial,
            output_spatial,
            usual,
        });
    }
    let (input, rest) = layout(body)?;
    let [Token::Word("x"), rest @ ..] = rest else { return None };
    let (kernel, rest) = layout(rest)?;
    let [Token::Sign('>'), Token::Sign('>'), rest @ ..] = rest else { return None };
    let (output, rest) = layout(rest)?;
    if !rest.is_empty() {
        return None;
    }
    Some(ConvolutionDims {
        input_spatial: spatial(&input)?,
        kernel_input_feature: kernel.iter().position(|token| *token == Token::Word("i"))?,
        kernel_spatial: spatial(&kernel)?,
        output_spatial: spatial(&output)?,
        usual: [
            is_usual(&input),
            matches!(kernel.as_slice(), [.., Token::Word("i"), Token::Word("o")]) && ascends(&kernel),
            is_usual(&output),
        ],
    })
}

/// Batch first, then the spatial dimensions in order, then the feature.
fn is_usual(layout: &[Token<'_>]) -> bool {
    matches!(layout, [Token::Word("b"), .., Token::Word("f")]) && ascends(layout)
}

/// Are the spatial dimensions in order?
fn ascends(layout: &[Token<'_>]) -> bool {
    let mut numbers = layout.iter().filter_map(|token| match token {
        Token::Number(dim) => Some(*dim),
        _ => None,
    });
    (0..).zip(&mut numbers).all(|(at, dim)| at == dim)
}

/// `[b, 0, 1, f]`, and what follows it.
fn layout<'s, 't>(body: &'s [Token<'t>]) -> Option<(Vec<Token<'t>>, &'s [Token<'t>])> {
    let [Token::Sign('['), inner @ ..] = body else { return None };
    let end = inner.iter().position(|token| *token == Token::Sign(']'))?;
    let entries = inner[..end].iter().filter(|token| **token != Token::Sign(',')).cloned().collect();
    Some((entries, &inner[end + 1..]))
}

/// Positions of the spatial dimensions 0, 1, .. in a layout.
fn spatial(layout: &[Token<'_>]) -> Option<Vec<usize>> {
    let count = layout.iter().filter(|token| matches!(token, Token::Number(_))).count();
    (0..count as i64).map(|dim| layout.iter().position(|token| *token == Token::Number(dim))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_dimensions_are_read() {
        let fields = fields(
            "dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], \
             lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>",
            "dot",
        )
        .unwrap();
        assert_eq!(fields["lhs_batching_dimensions"], [0, 1]);
        assert_eq!(fields["lhs_contracting_dimensions"], [3]);
    }

    #[test]
    fn empty_lists_and_single_numbers_are_read() {
        let fields = fields("gather<offset_dims = [], index_vector_dim = -1>", "gather").unwrap();
        assert!(fields["offset_dims"].is_empty());
        assert_eq!(fields["index_vector_dim"], [-1]);
        assert_eq!(super::fields("dot<>", "dot"), Some(IndexMap::new()));
    }

    #[test]
    fn convolution_layouts_are_read() {
        let dims = convolution("conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>").unwrap();
        assert_eq!(dims.input_spatial, [1, 2]);
        assert_eq!(dims.kernel_spatial, [0, 1]);
        assert_eq!(dims.kernel_input_feature, 2);
        assert_eq!(dims.output_spatial, [1, 2]);
        let flipped = convolution("conv<[f, 1, 0, b]x[i,1,0,o]->[0, 1, b, f]>").unwrap();
        assert_eq!((flipped.input_spatial, flipped.kernel_input_feature), (vec![2, 1], 0));
        assert_eq!((flipped.kernel_spatial, flipped.output_spatial), (vec![2, 1], vec![0, 1]));
        assert_eq!((dims.usual, flipped.usual), ([true; 3], [false; 3]));
        let kernel_gradient = convolution("conv<[f, 0, 1, b]x[0, 1, i, o]->[b, 0, 1, f]>").unwrap();
        assert_eq!(kernel_gradient.usual, [false, true, true]);
        let none = convolution("conv<[b, f]x[i, o]->[b, f]>").unwrap();
        assert_eq!(none.usual, [true; 3]);
        assert!(none.kernel_spatial.is_empty());
    }

    #[test]
    fn the_raw_layout_is_read() {
        let dims = convolution(
            "conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [2, 3], \
             kernel_output_feature_dimension = 0, kernel_input_feature_dimension = 1, \
             kernel_spatial_dimensions = [2, 3], output_batch_dimension = 0, output_feature_dimension = 1, \
             output_spatial_dimensions = [2, 3]>",
        )
        .unwrap();
        assert_eq!((dims.kernel_input_feature, dims.output_spatial), (1, vec![2, 3]));
        assert_eq!(dims.usual, [false; 3]);
        let dims = convolution(
            "conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], \
             kernel_output_feature_dimension = 2, kernel_input_feature_dimension = 1, \
             kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 1, \
             output_spatial_dimensions = [2]>",
        );
        assert_eq!(dims.unwrap().usual, [true, true, false]);
    }

    #[test]
    fn damaged_texts_are_refused() {
        for text in [
            "",
            "dot",
            "dot<",
            "dot<a = >",
            "dot<a = [1>",
            "dot<a = [b]>",
            "dot<a = 1> x",
            "conv<>",
            "dot<a = 99999999999999999999>",
            "dot<é>",
        ] {
            assert_eq!(fields(text, "dot"), None, "{text:?}");
        }
        for text in [
            "conv<[b, 0, f]x[0, i, o]>",
            "conv<[b, 1, f]x[0, i, o]->[b, 0, f]>",
            "conv<[b,f]x[o]->[b,f]>",
            "dot<>",
        ] {
            assert_eq!(convolution(text), None, "{text:?}");
        }
    }
}
