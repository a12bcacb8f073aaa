//! Policy-gradient and value updates.

use tch::{Kind, Tensor};

use crate::network::{Fallible, Network, torch};

/// Samples of one policy update.
pub(crate) struct PolicySamples {
    pub(crate) input: Tensor,
    pub(crate) batch: usize,
    pub(crate) rows: usize,
    /// True where an action is forbidden; `batch x actions`.
    pub(crate) forbidden: Option<Tensor>,
    /// `batch`, numbers of actions.
    pub(crate) actions: Tensor,
    /// `batch`: return minus baseline of each sample.
    pub(crate) advantages: Tensor,
    /// `batch`: log probabilities when the actions were taken; with them the update is PPO's.
    pub(crate) old_log_probabilities: Option<Tensor>,
}

/// How to update.
#[derive(Clone, Copy)]
pub(crate) struct Rates {
    pub(crate) learning_rate: f64,
    pub(crate) entropy_weight: f64,
    /// PPO's clip range.
    pub(crate) clip: f64,
    /// Largest gradient norm; 0: no limit.
    pub(crate) clip_norm: f64,
}

/// What an update did.
#[derive(Clone, Copy, Default)]
pub(crate) struct Figures {
    pub(crate) loss: f64,
    pub(crate) entropy: f64,
    /// Schulman's estimate of KL(old, new), mean of ratio - 1 - ln ratio; 0 without old probabilities.
    pub(crate) kl: f64,
    pub(crate) gradient_norm: f64,
}

/// Log probabilities of all actions, `batch x actions`.
pub(crate) fn log_policy(
    network: &Network,
    input: &Tensor,
    batch: usize,
    rows: usize,
    forbidden: Option<&Tensor>,
) -> Fallible<Tensor> {
    let mut logits = network.forward(input, batch, rows)?;
    if let Some(forbidden) = forbidden {
        logits = logits.f_masked_fill(forbidden, -1e9).map_err(torch)?;
    }
    logits.f_log_softmax(-1, Kind::Float).map_err(torch)
}

/// One step up the policy gradient.
///
/// Without old probabilities this is REINFORCE (Williams, 1992): the loss is
/// `-mean(advantage x ln p(action)) - entropy weight x mean entropy`. With them it is the clipped objective of
/// PPO (Schulman et al., 2017, eq. 7).
pub(crate) fn update_policy(
    network: &mut Network,
    samples: &PolicySamples,
    rates: Rates,
) -> Fallible<Figures> {
    let all = log_policy(network, &samples.input, samples.batch, samples.rows, samples.forbidden.as_ref())?;
    let taken = || -> Result<Tensor, tch::TchError> {
        all.f_gather(-1, &samples.actions.f_unsqueeze(-1)?, false)?.f_squeeze_dim(-1)
    };
    let taken = taken().map_err(torch)?;
    let entropy = || -> Result<Tensor, tch::TchError> {
        all.f_exp()?.f_mul(&all)?.f_sum_dim_intlist(-1, false, Kind::Float)?.f_mean(Kind::Float)?.f_neg()
    };
    let entropy = entropy().map_err(torch)?;
    let mut kl = 0.0;
    let gain = match &samples.old_log_probabilities {
        None => taken.f_mul(&samples.advantages).map_err(torch)?,
        Some(old) => {
            let difference = taken.f_sub(old).map_err(torch)?;
            let ratio = difference.f_exp().map_err(torch)?;
            let estimate = ratio.f_sub_scalar(1.0).map_err(torch)?.f_sub(&difference).map_err(torch)?;
            kl = number(&estimate.f_mean(Kind::Float).map_err(torch)?)?;
            let plain = ratio.f_mul(&samples.advantages).map_err(torch)?;
            let clipped = ratio.f_clamp(1.0 - rates.clip, 1.0 + rates.clip).map_err(torch)?;
            plain.f_minimum(&clipped.f_mul(&samples.advantages).map_err(torch)?).map_err(torch)?
        }
    };
    let loss = || -> Result<Tensor, tch::TchError> {
        gain.f_mean(Kind::Float)?.f_add(&entropy.f_mul_scalar(rates.entropy_weight)?)?.f_neg()
    };
    let loss = loss().map_err(torch)?;
    let gradient_norm = network.descend(&loss, rates.learning_rate, rates.clip_norm)?;
    Ok(Figures { loss: number(&loss)?, entropy: number(&entropy)?, kl, gradient_norm })
}

/// One step towards `targets` (`batch`) in mean squared error.
pub(crate) fn update_value(
    network: &mut Network,
    input: &Tensor,
    batch: usize,
    rows: usize,
    targets: &Tensor,
    rates: Rates,
) -> Fallible<Figures> {
    let values = network.forward(input, batch, rows)?;
    let loss = || -> Result<Tensor, tch::TchError> { values.f_sub(targets)?.f_square()?.f_mean(Kind::Float) };
    let loss = loss().map_err(torch)?;
    let gradient_norm = network.descend(&loss, rates.learning_rate, rates.clip_norm)?;
    Ok(Figures { loss: number(&loss)?, gradient_norm, ..Figures::default() })
}

fn number(tensor: &Tensor) -> Fallible<f64> {
    f64::try_from(tensor).map_err(torch)
}
