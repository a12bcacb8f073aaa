//! What it costs a device to hold more than its cap: an estimate, and its fit to memory plans that have been made.
//!
//! A memory plan can bring what a device holds, `held`, down to `least`: what is resident and the largest working set. How much of that
//! room the cap takes is the squeeze, `(held - cap) / (held - least)`. Little of it costs next to nothing, as cheap values go first; all of
//! it is out of reach.

use ballast_core::device::DeviceId;

use crate::relief::Lost;

/// Seconds lost by a squeeze whose [`Room::shape`] is 1, as a share of a device's time, where no plan has been made yet.
pub(crate) const RATE: f64 = 0.05;

/// How near to its least memory a device can be planned at a price that is still counted: a share of its room.
const EDGE: f64 = 0.2;

/// What a device counts as slower by, as a share of its time, where its cap had to be raised.
const RAISED: f64 = 0.5;

/// By how much a raised cap more must make the slowest stage faster, where caps are raised anyway.
pub const RAISED_CAP: f64 = 1.25;

/// What doing without values costs grows by this share as the squeeze does from the one to the other: measured on 1100 plans of stages of six programs.
const NARROW: f64 = 0.6;
const NARROW_FROM: f64 = 0.6;
const NARROW_AT: f64 = 0.85;

/// Squeezes below this say little about dearer ones.
const TOLD_FROM: f64 = 0.02;

/// Rates are looked for in this range.
const RATES: (f64, f64) = (0.002, 4.0);

/// Raised caps have a price where some cannot be kept: what a device counts for whose memory is over its cap by this share, to be multiplied over
/// the devices; 1 where it is not.
#[must_use]
pub fn missed(over: f64) -> f64 {
    if over > 0.0 { RAISED_CAP + over } else { 1.0 }
}

/// What caps that no plan of their device keeps count for together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missing {
    /// A factor: of all that may be raised so far.
    raised: f64,
    /// A sum of shares: of all that may not.
    beyond: f64,
}

impl Missing {
    /// Of the shares by which devices are [`over`] their caps.
    pub(crate) fn of(over: impl IntoIterator<Item = f64>) -> Self {
        let none = Missing { raised: 1.0, beyond: 0.0 };
        over.into_iter().fold(none, |missing, over| match over >= BEYOND {
            true => Missing { beyond: missing.beyond + over, ..missing },
            false => Missing { raised: (missing.raised * missed(over)).min(MOST_MISSED), ..missing },
        })
    }

    /// By what factor the slowest device counts as slower: 1 where all caps can be kept. One that may not be raised so far makes a placement none at all: it is
    /// worse than any number of others.
    pub(crate) fn factor(self) -> f64 {
        match self.beyond > 0.0 {
            true => MOST_MISSED * self.beyond * self.raised,
            false => self.raised,
        }
    }
}

/// More than raised caps count for together: that of 280 devices whose caps are doubled.
const MOST_MISSED: f64 = 1e100;

/// By what share the estimate by values must come to more than the price of bytes, to be heeded.
pub(crate) const MISPRICED: f64 = 0.2;

/// Estimates are corrected by factors of this range.
const FACTORS: (f64, f64) = (0.01, 8.0);

/// What is added to the share a device is over its cap by where the cap may not be raised so far.
const BEYOND: f64 = 10.0;

/// By what share of its cap a device is over it that needs so many bytes at least, counted higher where that is above the `most` that the cap may be raised to.
pub(crate) fn over(least: f64, cap: f64, most: f64) -> f64 {
    let share = (least / cap.max(1.0) - 1.0).max(0.0);
    if share > 0.0 && least > most { share + BEYOND } else { share }
}

/// What memory plans of a placement came to.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// The device of every op.
    pub device_of: &'a [DeviceId],
    /// Seconds of every device under its plan.
    pub seconds: &'a [f64],
    /// Devices whose caps had to be raised.
    pub raised: &'a [bool],
}

/// The bytes of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Room {
    /// What it holds at most where nothing is recomputed or swapped.
    pub(crate) held: f64,
    /// What no plan can do without.
    pub(crate) least: f64,
    /// What it may hold.
    pub(crate) cap: f64,
}

impl Room {
    /// How much of what a plan can take away it must: 0 below the cap, 1 where that is all.
    fn squeeze(self) -> f64 {
        ((self.held - self.cap) / (self.held - self.least).max(1.0)).clamp(0.0, 1.0)
    }

    /// Seconds lost to keep the cap, as a share of the device's time over its rate: 0 below the cap, and steep where nothing is left to take away.
    pub(crate) fn shape(self) -> f64 {
        let squeeze = self.squeeze();
        squeeze * squeeze / (1.0 + EDGE - squeeze)
    }

    /// By what factor doing without values is dearer than each alone, where there is little room beside what no plan can do without.
    pub(crate) fn edge(self) -> f64 {
        1.0 + NARROW * ((self.squeeze() - NARROW_FROM) / (NARROW_AT - NARROW_FROM)).clamp(0.0, 1.0)
    }

    /// Seconds that a device loses by an estimate of what it does without.
    pub(crate) fn lost(self, lost: Lost) -> f64 {
        lost.seconds * self.edge()
    }

    /// Seconds of a device that takes `seconds` without any plan, at this rate.
    pub(crate) fn pressed(self, seconds: f64, rate: f64) -> f64 {
        seconds * (1.0 + rate * self.shape())
    }
}

/// One device in one placement, and what its plan came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) device: usize,
    pub(crate) room: Room,
    /// Seconds without any plan, and under it.
    pub(crate) load: f64,
    pub(crate) seconds: f64,
    pub(crate) raised: bool,
    /// Seconds lost by the estimate of what values cost to do without, where one is made.
    pub(crate) estimate: Option<f64>,
}

/// What memory over the caps costs.
#[derive(Clone, Debug)]
pub(crate) struct Prices {
    /// Of every device: what a squeeze costs.
    pub(crate) rates: Vec<f64>,
    /// Of every device: what plans came to over the estimates of what values cost to do without.
    pub(crate) factors: Vec<f64>,
}

impl Prices {
    /// Where no plans have been made.
    pub(crate) fn usual(devices: usize) -> Self {
        Prices { rates: vec![RATE; devices], factors: vec![1.0; devices] }
    }

    /// Of plans, the latest last: what each device's own came to, the most of them and the latest, or all of them together.
    pub(crate) fn told(devices: usize, samples: &[Sample]) -> Self {
        let told: Vec<(usize, f64, f64)> = samples.iter().filter_map(Sample::told).collect();
        let factor = |lost: f64, estimate: f64| (lost / estimate).clamp(FACTORS.0, FACTORS.1);
        let sum = |of: fn(&(usize, f64, f64)) -> f64| told.iter().map(of).sum::<f64>();
        let usual = if told.is_empty() { 1.0 } else { factor(sum(|told| told.1), sum(|told| told.2)) };
        let of = |device: usize| {
            let own = || told.iter().filter(|told| told.0 == device).map(|told| factor(told.1, told.2));
            own().next_back().map_or(usual, |last| (own().fold(last, f64::max) * last).sqrt())
        };
        Prices { rates: rates(devices, samples), factors: (0..devices).map(of).collect() }
    }

    /// Rates at which plans of one placement came to just what they did.
    pub(crate) fn just(devices: usize, samples: &[Sample]) -> Self {
        Prices { rates: rates_of(devices, samples), ..Prices::usual(devices) }
    }
}

impl Sample {
    /// The device, what it lost and what was estimated, where that says much.
    fn told(&self) -> Option<(usize, f64, f64)> {
        let estimate = self.estimate.filter(|estimate| *estimate > TOLD_FROM * self.load)?;
        (!self.out_of_reach()).then(|| (self.device, self.lost(), estimate))
    }

    /// Seconds lost, a raised cap among them.
    fn lost(&self) -> f64 {
        let raised = if self.raised { RAISED * self.load } else { 0.0 };
        (self.seconds - self.load).max(0.0) + raised
    }

    /// Can no plan keep the cap? Then what was lost says nothing of what another placement would lose.
    fn out_of_reach(&self) -> bool {
        self.room.least > self.room.cap
    }
}

/// The rate of every device: the largest that its own plans came to, or what all of them together did.
fn rates(devices: usize, samples: &[Sample]) -> Vec<f64> {
    let tells =
        |sample: &&Sample| sample.room.shape() > TOLD_FROM && sample.load > 0.0 && !sample.out_of_reach();
    let telling: Vec<&Sample> = samples.iter().filter(tells).collect();
    let all: f64 = telling.iter().map(|sample| sample.load * sample.room.shape()).sum();
    let usual = if all > 0.0 { telling.iter().map(|sample| sample.lost()).sum::<f64>() / all } else { RATE };
    (0..devices)
        .map(|device| {
            let own = telling.iter().filter(|sample| sample.device == device);
            let own = own.map(|sample| sample.lost() / (sample.load * sample.room.shape()));
            own.reduce(f64::max).unwrap_or(usual).clamp(RATES.0, RATES.1)
        })
        .collect()
}

/// The rate of every device at which what its plan came to in the placement of these samples is just what it counts for; of others, what all of them
/// together did.
fn rates_of(devices: usize, samples: &[Sample]) -> Vec<f64> {
    let mut own = rates(devices, samples);
    for sample in samples.iter().filter(|sample| sample.room.shape() > TOLD_FROM && sample.load > 0.0) {
        let lost = (sample.seconds - sample.load).max(0.0) / (sample.load * sample.room.shape());
        own[sample.device] = lost.clamp(RATES.0, RATES.1);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: f64 = 3.0;

    fn room(held: f64) -> Room {
        Room { held, least: 20.0, cap: 60.0 }
    }

    /// A device that holds so much, and lost this share of its load.
    fn sample(device: usize, held: f64, lost: f64) -> Sample {
        let seconds = LOAD * (1.0 + lost);
        Sample { device, room: room(held), load: LOAD, seconds, raised: false, estimate: None }
    }

    #[test]
    fn nothing_is_lost_below_the_cap_and_the_more_the_nearer_the_least_is() {
        assert_eq!(room(60.0).shape(), 0.0);
        // Half of the room taken away: 0.25 / 0.7.
        assert!((room(100.0).shape() - 0.25 / 0.7).abs() < 1e-12);
        let shapes: Vec<f64> = (60..2000).map(|held| room(f64::from(held)).shape()).collect();
        assert!(shapes.is_sorted_by(|a, b| a < b), "{shapes:?}");
        // The same bytes over a cap that is the least: out of reach.
        let none = Room { held: 100.0, least: 60.0, cap: 60.0 };
        assert!((none.shape() - 1.0 / EDGE).abs() < 1e-9);
    }

    #[test]
    fn rates_reproduce_what_plans_came_to_and_tell_of_devices_without_one() {
        // Devices 0 and 1 lost 4 and 12 %, device 2 held too little to tell, device 3 is in no sample.
        let samples = [sample(0, 100.0, 0.04), sample(1, 100.0, 0.12), sample(2, 50.0, 0.0)];
        let rates = rates(4, &samples);
        for (sample, &rate) in samples.iter().zip(&rates) {
            assert!((sample.room.pressed(sample.load, rate) - sample.seconds).abs() < 1e-12);
        }
        let mean = 0.08 / room(100.0).shape();
        assert!((rates[2] - mean).abs() < 1e-12 && (rates[3] - mean).abs() < 1e-12, "{rates:?}");
        // A later plan of device 0 that lost more counts, one that lost less does not; a raised cap costs more than what was lost.
        let again = super::rates(1, &[sample(0, 100.0, 0.04), sample(0, 100.0, 0.1), sample(0, 100.0, 0.02)]);
        assert!((again[0] - 0.1 / room(100.0).shape()).abs() < 1e-12);
        let raised = Sample { raised: true, ..sample(0, 100.0, 0.04) };
        assert!(super::rates(1, &[raised])[0] > again[0]);
        assert_eq!(super::rates(2, &[]), [RATE; 2]);
        // A cap that no plan could keep tells nothing: not of its device, and not of others.
        let beyond = Sample { room: Room { held: 100.0, least: 60.1, cap: 60.0 }, ..raised };
        assert_eq!(
            super::rates(1, &[sample(0, 100.0, 0.04), beyond]),
            super::rates(1, &[sample(0, 100.0, 0.04)])
        );
        assert_eq!(super::rates(2, &[beyond]), [RATE; 2]);
    }

    #[test]
    fn what_a_cap_may_not_be_raised_to_counts_for_more_than_what_it_may() {
        assert_eq!(over(60.0, 60.0, 120.0), 0.0);
        assert_eq!(over(90.0, 60.0, 120.0), 0.5);
        assert_eq!(over(120.0, 60.0, 120.0), 1.0);
        assert!(over(121.0, 60.0, 120.0) > BEYOND);
        assert_eq!(over(180.0, 60.0, f64::INFINITY), 2.0);
        // Caps that may not be raised at all.
        assert!(over(60.0, 60.0, 60.0) == 0.0 && over(61.0, 60.0, 60.0) > BEYOND);
        // Any number of caps raised is better than one that may not be, and of those fewer are better, and nearer ones.
        let factor = |over: Vec<f64>| Missing::of(over).factor();
        let beyond = |least| over(least, 60.0, 120.0);
        assert_eq!(factor(vec![0.0; 3]), 1.0);
        assert_eq!(factor(vec![1.0, 0.0, 0.5]), missed(1.0) * missed(0.5));
        assert!(factor(vec![1.0; 64]) < factor(vec![beyond(121.0)]));
        assert!(factor(vec![beyond(121.0); 64]).is_finite());
        assert!(factor(vec![beyond(200.0)]) < factor(vec![beyond(121.0); 2]));
        assert!(factor(vec![beyond(121.0)]) < factor(vec![beyond(150.0)]));
        assert!(factor(vec![beyond(121.0), 0.5]) < factor(vec![beyond(121.0), 0.6]));
    }

    #[test]
    fn one_placement_alone_has_the_rates_of_its_own_plans() {
        let samples = [sample(0, 100.0, 0.04), sample(1, 50.0, 0.0)];
        let own = rates_of(3, &samples);
        let pressed = samples[0].room.pressed(samples[0].load, own[0]);
        assert!((pressed - samples[0].seconds).abs() < 1e-12, "{pressed}");
        assert_eq!((own[1], own[2]), (own[0], own[0]), "what is told of the others");
        // A cap was raised: the seconds are those of its plan.
        let raised = Sample { raised: true, ..samples[0] };
        assert!((rates_of(1, &[raised])[0] - own[0]).abs() < 1e-12);
        assert!(rates(1, &[raised])[0] > own[0]);
    }

    #[test]
    fn estimates_are_corrected_by_what_plans_came_to() {
        let sample = |device, estimate, lost: f64| Sample {
            estimate: Some(estimate),
            ..sample(device, 100.0, lost / LOAD)
        };
        // Device 0 lost twice its estimate and then a half of it, device 1 as much as estimated, device 2 has no plan.
        let samples = [sample(0, 0.2, 0.4), sample(1, 0.3, 0.3), sample(0, 0.4, 0.2)];
        let told = Prices::told(3, &samples).factors;
        let close = |told: f64, factor: f64| (told - factor).abs() < 1e-9;
        // The most and the latest, in the geometric mean: 2 and 0.5; all of them: 0.9 of 0.9.
        assert!(close(told[0], 1.0) && close(told[1], 1.0) && close(told[2], 1.0), "{told:?}");
        let told = Prices::told(3, &samples[..1]).factors;
        assert!(close(told[0], 2.0) && close(told[2], 2.0), "what is told of the others: {told:?}");
        // Little was estimated: that tells nothing. A cap was raised: that counts as lost.
        assert_eq!(Prices::told(1, &[sample(0, 0.01, 0.4)]).factors, [1.0]);
        let raised = Sample { raised: true, ..sample(0, 0.5, 0.5) };
        assert!(Prices::told(1, &[raised]).factors[0] > 1.0);
    }

    #[test]
    fn little_room_makes_what_is_lost_dearer() {
        let lost = Lost { seconds: 0.5, dearest: 0.0 };
        // Half of the room is taken away, then nearly all of it.
        assert_eq!(room(100.0).lost(lost), 0.5);
        assert!((room(1000.0).lost(lost) - 0.5 * (1.0 + NARROW)).abs() < 1e-12);
    }
}
