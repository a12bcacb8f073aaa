//! Two heaps that count: one stands for a device's memory, one for the host's.
//!
//! MLIR's lowering with `use-generic-functions` sends every allocation of a program through the first pair of functions;
//! `--ballast-host-heap` sends those of memory space 1 through the second.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Alignment of every block, bytes; also the room in front of it, which holds its size.
const ALIGNMENT: usize = 64;

/// Bytes in use, and the most there were.
#[derive(Debug)]
pub struct Heap {
    live: AtomicU64,
    peak: AtomicU64,
}

/// Memory of the device.
pub static DEVICE: Heap = Heap::new();
/// Memory of the host.
pub static HOST: Heap = Heap::new();

impl Heap {
    const fn new() -> Self {
        Heap { live: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }

    /// Bytes in use.
    pub fn live(&self) -> u64 {
        self.live.load(SeqCst)
    }

    /// Most bytes in use since the program began, or since [`Heap::renew`].
    pub fn peak(&self) -> u64 {
        self.peak.load(SeqCst)
    }

    /// The peak is looked for anew.
    pub fn renew(&self) {
        self.peak.store(self.live(), SeqCst);
    }

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes.checked_add(ALIGNMENT)?, ALIGNMENT).ok()
    }

    /// A block of `bytes`, or null where there is no memory.
    fn take(&self, bytes: u64) -> *mut u8 {
        let Some(layout) = usize::try_from(bytes).ok().and_then(Self::layout) else { return null_mut() };
        // SAFETY: the layout is never empty; its head holds the size, and the block starts behind it.
        let block = unsafe {
            let start = alloc(layout);
            if start.is_null() {
                return null_mut();
            }
            start.cast::<u64>().write(bytes);
            start.add(ALIGNMENT)
        };
        let live = self.live.fetch_add(bytes, SeqCst) + bytes;
        self.peak.fetch_max(live, SeqCst);
        block
    }

    /// # Safety
    /// `block` is null or came from `take` of this heap, and is given back once.
    unsafe fn give_back(&self, block: *mut u8) {
        if block.is_null() {
            return;
        }
        // SAFETY: the caller's promise; `take` accepted this size.
        unsafe {
            let start = block.sub(ALIGNMENT);
            let bytes = start.cast::<u64>().read();
            self.live.fetch_sub(bytes, SeqCst);
            if let Some(layout) = usize::try_from(bytes).ok().and_then(Self::layout) {
                dealloc(start, layout);
            }
        }
    }
}

/// Allocates device memory: what `memref.alloc` calls.
#[unsafe(no_mangle)]
pub extern "C" fn _mlir_memref_to_llvm_alloc(bytes: u64) -> *mut c_void {
    DEVICE.take(bytes).cast()
}

/// Frees device memory: what `memref.dealloc` calls.
///
/// # Safety
/// `block` came from [`_mlir_memref_to_llvm_alloc`] and is freed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _mlir_memref_to_llvm_free(block: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { DEVICE.give_back(block.cast()) }
}

/// `memref<?xi8>` as MLIR's C interface passes it.
#[repr(C)]
#[derive(Debug)]
pub struct ByteBuffer {
    allocated: *mut u8,
    aligned: *mut u8,
    offset: i64,
    size: i64,
    stride: i64,
}

/// Allocates host memory.
///
/// # Safety
/// `result` points at room for a descriptor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _mlir_ciface_ballast_host_alloc(result: *mut ByteBuffer, bytes: i64) {
    let block = HOST.take(bytes.unsigned_abs());
    // SAFETY: the caller's promise.
    unsafe {
        result.write(ByteBuffer { allocated: block, aligned: block, offset: 0, size: bytes, stride: 1 })
    }
}

/// Frees host memory.
///
/// # Safety
/// `buffer` describes a block from [`_mlir_ciface_ballast_host_alloc`] that is freed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _mlir_ciface_ballast_host_free(buffer: *mut ByteBuffer) {
    // SAFETY: the caller's promise.
    unsafe { HOST.give_back((*buffer).allocated) }
}

#[cfg(test)]
mod tests {
    use super::Heap;

    #[test]
    fn the_peak_is_the_largest_sum_of_live_blocks() {
        let heap = Heap::new();
        let first = heap.take(100);
        let second = heap.take(28);
        assert_eq!((first as usize % 64, second as usize % 64), (0, 0));
        // SAFETY: both blocks are of this heap and given back once.
        unsafe { heap.give_back(first) };
        let third = heap.take(50);
        assert_eq!((heap.live(), heap.peak()), (78, 128));
        // SAFETY: as above.
        unsafe {
            heap.give_back(second);
            heap.give_back(third);
        }
        assert_eq!((heap.live(), heap.peak()), (0, 128));
        heap.renew();
        assert_eq!(heap.peak(), 0);
        assert!(heap.take(u64::MAX).is_null());
        assert_eq!(heap.live(), 0);
    }
}
