//! What linalg ops are, and their iteration spaces.

use melior::ir::operation::OperationLike;
use mlir_sys::{mlirLinalgIsAContractionOp, mlirLinalgIsAConvolutionOp};

use crate::ffi;

/// One loop of a structured op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Number of iterations; none: depends on a dynamic dimension.
    pub extent: Option<u64>,
    /// Does it reduce?
    pub reduction: bool,
}

/// The loops of a linalg op, outermost first; none for any other op.
#[must_use]
pub fn loops<'c: 'a, 'a>(op: &impl OperationLike<'c, 'a>) -> Option<Vec<Loop>> {
    const USUAL: usize = 16;
    let mut extents = vec![0_i64; USUAL];
    let mut reductions = vec![false; USUAL];
    loop {
        // SAFETY: the op is live, both buffers hold as many entries as is said.
        let count = unsafe {
            ffi::ballastLinalgLoops(op.to_raw(), extents.as_mut_ptr(), reductions.as_mut_ptr(), extents.len())
        };
        let count = usize::try_from(count).ok()?;
        if count > extents.len() {
            extents.resize(count, 0);
            reductions.resize(count, false);
            continue;
        }
        return Some(
            extents[..count]
                .iter()
                .zip(&reductions)
                .map(|(&extent, &reduction)| Loop { extent: u64::try_from(extent).ok(), reduction })
                .collect(),
        );
    }
}

/// Is it a contraction, or a convolution, to MLIR's `linalg` dialect?
#[must_use]
pub fn interfaces<'c: 'a, 'a>(op: &impl OperationLike<'c, 'a>) -> (bool, bool) {
    // SAFETY: the op is live.
    unsafe { (mlirLinalgIsAContractionOp(op.to_raw()), mlirLinalgIsAConvolutionOp(op.to_raw())) }
}
