//! Passes that rewrite programs: what planning needs opened before, and what turns an applied plan into something that runs.

pub(crate) mod ballast_depthwise_gradients;
pub(crate) mod ballast_entry;
pub(crate) mod ballast_gather_gradients;
pub(crate) mod ballast_host_heap;
pub(crate) mod ballast_inline;
pub(crate) mod ballast_kernels;
pub(crate) mod ballast_messages;
pub(crate) mod ballast_outline;
pub(crate) mod ballast_outline_body;
pub(crate) mod ballast_pair_loops;
pub(crate) mod ballast_pool_gradients;
pub(crate) mod ballast_rank;
pub(crate) mod ballast_split_ops;
pub(crate) mod ballast_strip;
pub(crate) mod ballast_to_buffers;
pub(crate) mod ballast_to_stablehlo;
pub(crate) mod ballast_unroll;
pub(crate) mod ballast_wide_products;
pub(crate) mod gradients;
mod messages;
mod native;
pub(crate) mod pairs;
mod segments;
mod stablehlo;
pub(crate) mod unroll;
