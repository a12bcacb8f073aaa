//! The C interface: checked pointers in, messages out, nothing thrown.

use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use tch::{Kind, Tensor, no_grad};

use crate::layout::{ABI_VERSION, PolicyBatch, ValueBatch};
use crate::network::{Config, Fallible, Head, Network, torch};
use crate::update::{Figures, PolicySamples, Rates, log_policy, update_policy, update_value};

const LIBTORCH: &CStr = match CStr::from_bytes_with_nul(concat!(env!("BALLAST_LIBTORCH"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"unknown",
};

/// Runs the body; an error or a panic becomes a message for the caller to free.
fn guarded(body: impl FnOnce() -> Fallible<()>) -> *mut c_char {
    let message = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return std::ptr::null_mut(),
        Ok(Err(message)) => message,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            format!("a bug in the learner: {}", text.unwrap_or("no message"))
        }
    };
    CString::new(message.replace('\0', " ")).unwrap_or_default().into_raw()
}

/// # Safety
/// A pointer that is not null must hold `length` elements.
unsafe fn slice<'a, T>(pointer: *const T, length: usize, what: &str) -> Fallible<&'a [T]> {
    if pointer.is_null() {
        return Err(format!("no {what}"));
    }
    // SAFETY: not null, and of this length by the caller's contract.
    Ok(unsafe { std::slice::from_raw_parts(pointer, length) })
}

/// # Safety
/// `network` is null or came from [`ballast_learner_create`] and is not in use elsewhere.
unsafe fn borrowed<'a>(network: *mut Network) -> Fallible<&'a mut Network> {
    // SAFETY: by the caller's contract.
    unsafe { network.as_mut() }.ok_or_else(|| "no network".into())
}

fn product(factors: &[usize]) -> Fallible<usize> {
    factors
        .iter()
        .try_fold(1usize, |product, &factor| product.checked_mul(factor))
        .filter(|&product| product > 0 && product < 1 << 32)
        .ok_or_else(|| format!("a batch of {factors:?} numbers"))
}

/// Version of the interface; a caller refuses any other than its own.
#[unsafe(no_mangle)]
pub extern "C" fn ballast_learner_abi_version() -> u32 {
    ABI_VERSION
}

/// Version of the libtorch this library was built with, which `tch` checks: a text that lives as long as the library.
#[unsafe(no_mangle)]
pub extern "C" fn ballast_learner_libtorch_version() -> *const c_char {
    LIBTORCH.as_ptr()
}

/// Frees a message.
///
/// # Safety
/// `message` is null or came from a function of this library and was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ballast_learner_free_string(message: *mut c_char) {
    if !message.is_null() {
        // SAFETY: by the caller's contract it came from `CString::into_raw`.
        drop(unsafe { CString::from_raw(message) });
    }
}

/// Makes a network from its configuration, a JSON object: `layers` (widths from input to output), `head`
/// (`policy` or `value`), `activation` (`relu` or `tanh`, default `relu`), `seed` (default 0).
///
/// # Safety
/// `config` is a C string; `out` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ballast_learner_create(
    config: *const c_char,
    out: *mut *mut Network,
) -> *mut c_char {
    static THREADS: Once = Once::new();
    guarded(|| {
        if config.is_null() || out.is_null() {
            return Err("no configuration or nowhere to put the network".into());
        }
        // One thread, before anything runs: sums then come out the same on every machine load.
        THREADS.call_once(|| {
            tch::set_num_threads(1);
            tch::set_num_interop_threads(1);
        });
        // SAFETY: a C string by the caller's contract.
        let text = unsafe { CStr::from_ptr(config) }.to_str().map_err(|error| error.to_string())?;
        let config: Config =
            serde_json::from_str(text).map_err(|error| format!("network configuration: {error}"))?;
        let network = Box::new(Network::new(config)?);
        // SAFETY: may be written by the caller's contract.
        unsafe { *out = Box::into_raw(network) };
        Ok(())
    })
}

/// Frees a network.
///
/// # Safety
/// `network` is null or came from [`ballast_learner_create`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ballast_learner_free(network: *mut Network) {
    if !network.is_null() {
        // SAFETY: by the caller's contract it came from `Box::into_raw`.
        drop(unsafe { Box::from_raw(network) });
    }
}

/// Number of trained numbers; 0 for null.
///
/// # Safety
/// `network` is null or came from [`ballast_learner_create`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ballast_learner_parameters(network: *const Network) -> usize {
    // SAFETY: by the caller's contract.
    unsafe { network.as_ref() }.map_or(0, Network::parameter_count)
}

/// Length of the state, in numbers: weights, Adam's moments, updates; 0 for null.
///
/// # Safety
/// `network` is null or came from [`ballast_learner_create`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ballast_learner_state_length(network: *const Network) -> usize {
    // SAFETY: by the caller's contract.
    unsafe { network.as_ref() }.map_or(0, Network::state_length)
}

/// Copies the state out: training that goes on from it goes on exactly.
///
/// # Safety
/// `network` came from [`ballast_learner_create`]; `out` holds `length` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ballast_learner_read_state(
    network: *mut Network,
    out: *mut f32,
    length: usize,
) -> *mut c_char {
    guarded(|| {
        // SAFETY: by the caller's contract.
        let network = unsafe { borrowed(network) }?;
        if out.is_null() || length != network.state_length() {
            return Err(format!("the state has {} numbers, not {length}", network.state_length()));
        }
        // SAFETY: by the caller's contract.
        network.read_state(unsafe { std::slice::from_raw_parts_mut(out, length) })
    })
}

/// Takes a state in.
///
/// # Safety
/// `network` came from [`ballast_learner_create`]; `state` holds `length` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ballast_learner_write_state(
    network: *mut Network,
    state: *const f32,
    length: usize,
) -> *mut c_char {
    guarded(|| {
        // SAFETY: by the caller's contract.
        let network = unsafe { borrowed(network) }?;
        if length != network.state_length() {
            return Err(format!("the state has {} numbers, not {length}", network.state_length()));
        }
        // SAFETY: by the caller's contract.
        network.write_state(unsafe { slice(state, length, "state") }?)
    })
}

/// Runs a network: a policy gives `batch x (outputs * rows)` probabilities, a value network `batch` numbers.
///
/// # Safety
/// `network` came from [`ballast_learner_create`]; the arrays have the shapes stated; `allowed` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ballast_learner_forward(
    network: *mut Network,
    batch: usize,
    rows: usize,
    input: *const f32,
    allowed: *const u8,
    out: *mut f32,
) -> *mut c_char {
    guarded(|| {
        // SAFETY: by the caller's contract.
        let network = unsafe { borrowed(network) }?;
        if out.is_null() {
            return Err("nowhere to put the result".into());
        }
        // SAFETY: by the caller's contract.
        let input = unsafe { inputs(network, batch, rows, input) }?;
        let result = no_grad(|| -> Fallible<Tensor> {
            match network.config.head {
                Head::Value => network.forward(&input, batch, rows),
                Head::Policy => {
                    // SAFETY: by the caller's contract.
                    let forbidden = unsafe { forbidden(network, batch, rows, allowed) }?;
                    let log = log_policy(network, &input, batch, rows, forbidden.as_ref())?;
                    log.f_exp().map_err(torch)
                }
            }
        })?;
        let length = result.numel();
        // SAFETY: the caller gave room for the shape stated.
        let out = unsafe { std::slice::from_raw_parts_mut(out, length) };
        result.f_contiguous().map_err(torch)?.f_copy_data(out, length).map_err(torch)
    })
}

/// One REINFORCE or PPO update. `figures`: loss, entropy, KL, gradient norm.
///
/// # Safety
/// `network` came from [`ballast_learner_create`]; `batch` points to a filled struct; `figures` holds 4 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ballast_learner_update_policy(
    network: *mut Network,
    batch: *const PolicyBatch,
    figures: *mut f64,
) -> *mut c_char {
    guarded(|| {
        // SAFETY: by the caller's contract.
        let network = unsafe { borrowed(network) }?;
        // SAFETY: by the caller's contract.
        let given = unsafe { batch.as_ref() }.ok_or("no batch")?;
        if network.config.head != Head::Policy {
            return Err("a policy update of a value network".into());
        }
        let actions_of_one = (network.outputs() * given.rows) as i64;
        // SAFETY: lengths by the caller's contract.
        let (input, forbidden, actions, advantages) = unsafe {
            (
                inputs(network, given.batch, given.rows, given.input)?,
                forbidden(network, given.batch, given.rows, given.allowed)?,
                slice(given.actions, given.batch, "actions")?,
                slice(given.advantages, given.batch, "advantages")?,
            )
        };
        if let Some(action) = actions.iter().find(|&&action| !(0..actions_of_one).contains(&action)) {
            return Err(format!("action {action} of {actions_of_one}"));
        }
        let old = if given.old_log_probabilities.is_null() {
            None
        } else {
            // SAFETY: by the caller's contract.
            let old = unsafe { slice(given.old_log_probabilities, given.batch, "log probabilities") }?;
            Some(Tensor::f_from_slice(old).map_err(torch)?)
        };
        let samples = PolicySamples {
            input,
            batch: given.batch,
            rows: given.rows,
            forbidden,
            actions: Tensor::f_from_slice(actions).map_err(torch)?,
            advantages: Tensor::f_from_slice(advantages).map_err(torch)?,
            old_log_probabilities: old,
        };
        let rates = Rates {
            learning_rate: given.learning_rate,
            entropy_weight: given.entropy_weight,
            clip: given.clip,
            clip_norm: given.clip_norm,
        };
        // SAFETY: by the caller's contract.
        unsafe { report(update_policy(network, &samples, rates)?, figures) }
    })
}

/// One value update. `figures`: loss, 0, 0, gradient norm.
///
/// # Safety
/// As [`ballast_learner_update_policy`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ballast_learner_update_value(
    network: *mut Network,
    batch: *const ValueBatch,
    figures: *mut f64,
) -> *mut c_char {
    guarded(|| {
        // SAFETY: by the caller's contract.
        let network = unsafe { borrowed(network) }?;
        // SAFETY: by the caller's contract.
        let given = unsafe { batch.as_ref() }.ok_or("no batch")?;
        if network.config.head != Head::Value {
            return Err("a value update of a policy network".into());
        }
        // SAFETY: lengths by the caller's contract.
        let (input, targets) = unsafe {
            (
                inputs(network, given.batch, given.rows, given.input)?,
                slice(given.targets, given.batch, "targets")?,
            )
        };
        let targets = Tensor::f_from_slice(targets).map_err(torch)?;
        let rates = Rates {
            learning_rate: given.learning_rate,
            entropy_weight: 0.0,
            clip: 0.0,
            clip_norm: given.clip_norm,
        };
        let done = update_value(network, &input, given.batch, given.rows, &targets, rates)?;
        // SAFETY: by the caller's contract.
        unsafe { report(done, figures) }
    })
}

/// # Safety
/// `input` is null or of the stated shape.
unsafe fn inputs(network: &Network, batch: usize, rows: usize, input: *const f32) -> Fallible<Tensor> {
    let length = product(&[batch, rows, network.inputs()])?;
    // SAFETY: by the caller's contract.
    Tensor::f_from_slice(unsafe { slice(input, length, "input") }?).map_err(torch)
}

/// # Safety
/// `allowed` is null or of the stated shape.
unsafe fn forbidden(
    network: &Network,
    batch: usize,
    rows: usize,
    allowed: *const u8,
) -> Fallible<Option<Tensor>> {
    if allowed.is_null() {
        return Ok(None);
    }
    let actions = product(&[rows, network.outputs()])?;
    let length = product(&[batch, actions])?;
    // SAFETY: by the caller's contract.
    let allowed = unsafe { slice(allowed, length, "mask") }?;
    if allowed.chunks(actions).any(|sample| sample.iter().all(|&allowed| allowed == 0)) {
        return Err("a sample without an allowed action".into());
    }
    let mask = Tensor::f_from_slice(allowed).map_err(torch)?;
    let forbidden = mask.f_eq(0).map_err(torch)?;
    let shape = [batch as i64, actions as i64];
    debug_assert_eq!(forbidden.kind(), Kind::Bool);
    forbidden.f_view(shape).map(Some).map_err(torch)
}

/// # Safety
/// `out` is null or holds 4 numbers.
unsafe fn report(figures: Figures, out: *mut f64) -> Fallible<()> {
    if !out.is_null() {
        let list = [figures.loss, figures.entropy, figures.kl, figures.gradient_norm];
        // SAFETY: 4 numbers by the caller's contract.
        unsafe { std::ptr::copy_nonoverlapping(list.as_ptr(), out, list.len()) };
    }
    Ok(())
}
