//! Tensors known piece by piece along one axis: what a loop writes at its counter and another reads there.

use std::rc::Rc;

use melior::ir::{Type, Value};

use crate::counted::Integers;

/// What is known of a value of the program while loops are opened.
#[derive(Clone, Debug)]
pub(super) enum Known<'c, 'a> {
    /// It is this value of the program.
    Value(Value<'c, 'a>),
    /// Its elements; and the value of the program that holds them, if there is one.
    Integers(Integers<'c>, Option<Value<'c, 'a>>),
    /// It is made of pieces.
    Stack(Rc<Stack<'c, 'a>>),
}

/// A tensor cut into pieces along one axis.
#[derive(Clone, Debug)]
pub(super) struct Stack<'c, 'a> {
    /// Type of the whole.
    pub(super) kind: Type<'c>,
    /// Its extents.
    pub(super) dims: Vec<u64>,
    /// Along which it is cut.
    pub(super) axis: usize,
    /// The pieces in order: they cover the axis without gaps.
    pub(super) pieces: Vec<Piece<'c, 'a>>,
}

/// A range of the axis, found in another tensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'c, 'a> {
    /// First index in the whole.
    pub(super) start: u64,
    /// Extent.
    pub(super) length: u64,
    /// A tensor of the whole's extents but for the axis.
    pub(super) source: Value<'c, 'a>,
    /// Where the range begins in it.
    pub(super) offset: u64,
    /// Extent of the axis in it.
    pub(super) extent: u64,
}

/// A range of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Range {
    pub(super) starts: Vec<u64>,
    pub(super) sizes: Vec<u64>,
}

impl Range {
    /// Axes it does not take whole.
    pub(super) fn partial(&self, dims: &[u64]) -> Vec<usize> {
        (0..dims.len()).filter(|&axis| self.sizes[axis] != dims[axis]).collect()
    }
}

impl<'c, 'a> Piece<'c, 'a> {
    /// The part of it from `start` to `end`, which overlap it.
    fn clipped(self, start: u64, end: u64) -> Self {
        let (from, to) = (self.start.max(start), (self.start + self.length).min(end));
        Piece { start: from, length: to - from, offset: self.offset + from - self.start, ..self }
    }

    fn overlaps(&self, start: u64, end: u64) -> bool {
        self.start < end && start < self.start + self.length
    }
}

impl<'c, 'a> Stack<'c, 'a> {
    /// A tensor as one piece.
    pub(super) fn whole(value: Value<'c, 'a>, kind: Type<'c>, dims: Vec<u64>, axis: usize) -> Self {
        let extent = dims[axis];
        let piece = Piece { start: 0, length: extent, source: value, offset: 0, extent };
        Stack { kind, dims, axis, pieces: vec![piece] }
    }

    /// Replaces a range by a tensor as long as it.
    pub(super) fn write(&mut self, start: u64, length: u64, source: Value<'c, 'a>) {
        let end = start + length;
        let first = self.pieces.partition_point(|piece| piece.start + piece.length <= start);
        let last = self.pieces.partition_point(|piece| piece.start < end);
        let mut put = Vec::with_capacity(3);
        if let Some(piece) = self.pieces.get(first).filter(|piece| piece.start < start) {
            put.push(piece.clipped(0, start));
        }
        put.push(Piece { start, length, source, offset: 0, extent: length });
        if let Some(piece) = last.checked_sub(1).and_then(|last| self.pieces.get(last))
            && piece.start + piece.length > end
        {
            put.push(piece.clipped(end, piece.start + piece.length));
        }
        self.pieces.splice(first..last, put);
    }

    /// The pieces of a range.
    pub(super) fn read(&self, start: u64, length: u64) -> Vec<Piece<'c, 'a>> {
        let end = start + length;
        let first = self.pieces.partition_point(|piece| piece.start + piece.length <= start);
        let inside = self.pieces[first..].iter().take_while(|piece| piece.overlaps(start, end));
        inside.map(|piece| piece.clipped(start, end)).collect()
    }

    /// The tensor as large as the whole that most of it still is, with the share of the axis that comes from it.
    pub(super) fn base(&self) -> Option<(Value<'c, 'a>, u64)> {
        let extent = self.dims[self.axis];
        let of_base = |piece: &&Piece<'c, 'a>| piece.extent == extent && piece.offset == piece.start;
        let first = self.pieces.iter().find(of_base)?.source;
        let same = self.pieces.iter().filter(of_base).filter(|piece| piece.source == first);
        Some((first, same.map(|piece| piece.length).sum()))
    }
}
