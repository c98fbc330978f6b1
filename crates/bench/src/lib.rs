//! Rounds and percentiles for the benches. Linked into no program.
//!
//! A bench is a program that measures and prints; it asserts no time. What it says of us stands beside a peer or beside
//! what the kernel or the processor takes at least, measured in the same run and in turns, so that a busy moment of the
//! machine is in both.
#![forbid(unsafe_code)]

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long one call takes.
pub fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let begin = Instant::now();
    let answer = work();
    let took = begin.elapsed();
    black_box(answer);
    took
}

/// One of those that are measured beside each other.
pub struct Contender<'a> {
    name: &'static str,
    block: usize,
    round: Box<dyn FnMut() -> Duration + 'a>,
}

impl fmt::Debug for Contender<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contender").field("name", &self.name).field("block", &self.block).finish_non_exhaustive()
    }
}

impl<'a> Contender<'a> {
    /// `round` does one round and says how long that took; `block` of them are done in a row.
    pub fn new(name: &'static str, block: usize, round: impl FnMut() -> Duration + 'a) -> Self {
        Self { name, block, round: Box::new(round) }
    }
}

/// Measures all of them in turns of one block each. The first tenth of the blocks warms up and is forgotten.
pub fn side_by_side<const N: usize>(blocks: usize, mut contenders: [Contender<'_>; N]) -> [Measured; N] {
    let mut times = [const { Vec::new() }; N];
    for block in 0..blocks + blocks.div_ceil(10) {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let rounds = (0..contender.block).map(|_| (contender.round)());
            if block < blocks.div_ceil(10) {
                rounds.for_each(drop);
            } else {
                times.extend(rounds);
            }
        }
    }
    let mut names = contenders.iter().map(|contender| contender.name);
    times.map(|times| Measured::of(names.next().unwrap_or_default(), times))
}

/// What was measured of one thing.
#[derive(Debug, Clone)]
pub struct Measured {
    name: &'static str,
    /// Shortest first.
    times: Vec<Duration>,
}

impl Measured {
    /// Of these times, in any order.
    #[must_use]
    pub fn of(name: &'static str, mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self { name, times }
    }

    /// The least time that `percent` of a hundred rounds did not exceed. Zero where there was no round.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.times.len() * percent).div_ceil(100).saturating_sub(1);
        self.times.get(rank).copied().unwrap_or_default()
    }

    /// A line that says how many times as long this takes as `other` does.
    #[must_use]
    pub fn beside(&self, other: &Self) -> String {
        let ratio = |percent| self.percentile(percent).as_secs_f64() / other.percentile(percent).as_secs_f64();
        format!("  {} / {}: p50 x {:.3}, p99 x {:.3}", self.name, other.name, ratio(50), ratio(99))
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = |percent| self.percentile(percent).as_secs_f64() * 1e6;
        let Self { name, times } = self;
        write!(f, "{name:<52} p50 {:>9.2} µs  p99 {:>9.2} µs  n {}", micros(50), micros(99), times.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: impl IntoIterator<Item = u64>) -> Measured {
        Measured::of("it", times.into_iter().map(Duration::from_micros).collect())
    }

    #[test]
    fn a_percentile_is_a_time_that_was_measured_and_never_below_its_rank() {
        let hundred = of((1..=100).rev());
        assert_eq!([50, 99, 100].map(|percent| hundred.percentile(percent).as_micros()), [50, 99, 100]);
        assert_eq!([50, 99].map(|percent| of([3, 1, 2]).percentile(percent).as_micros()), [2, 3]);
        assert_eq!(of([7]).percentile(50).as_micros(), 7);
        assert_eq!(of([]).percentile(99), Duration::ZERO);
    }

    #[test]
    fn everything_takes_turns_and_what_warms_up_is_not_counted() {
        let turns = std::cell::RefCell::new(String::new());
        let round = |turn: &'static str, micros| {
            let turns = &turns;
            move || {
                turns.borrow_mut().push_str(turn);
                Duration::from_micros(micros)
            }
        };
        let [a, b] = side_by_side(2, [Contender::new("a", 2, round("a", 10)), Contender::new("b", 1, round("b", 40))]);
        assert_eq!(turns.take(), "aabaabaab");
        assert_eq!((a.times.len(), b.times.len()), (4, 2));
        assert_eq!(a.beside(&b), "  a / b: p50 x 0.250, p99 x 0.250");
    }
}
