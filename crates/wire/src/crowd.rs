//! Places that all connections share. Who takes too many loses his own.

use lychgate_core::evidence::ProcessInode;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// So many places, and no queue: whoever comes has one at once. Where all are taken, the process that holds the most of
/// them, the one that comes included, loses the one it has had for the longest; among equals the oldest of all goes.
///
/// So a process that takes whatever it can get crowds itself out, and nobody else.
pub struct Crowd {
    most: usize,
    inside: Mutex<Inside>,
}

struct Inside {
    next: u64,
    /// Oldest first.
    taken: VecDeque<Taken>,
}

struct Taken {
    number: u64,
    who: ProcessInode,
    /// Dropped: the place is lost.
    _held: oneshot::Sender<()>,
}

/// A place, until this is dropped or [`Place::lost`] answers.
pub struct Place {
    crowd: Arc<Crowd>,
    number: u64,
    lost: oneshot::Receiver<()>,
}

impl Crowd {
    /// With so many places, at least one.
    #[must_use]
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most: most.max(1), inside: Mutex::new(Inside { next: 0, taken: VecDeque::new() }) })
    }

    /// A place for a connection of the process `who`.
    #[must_use]
    pub fn enter(self: &Arc<Self>, who: ProcessInode) -> Place {
        let (held, lost) = oneshot::channel();
        let mut inside = self.lock();
        let number = inside.next;
        inside.next += 1;
        if inside.taken.len() >= self.most {
            inside.make_room_for(who);
        }
        inside.taken.push_back(Taken { number, who, _held: held });
        Place { crowd: Arc::clone(self), number, lost }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        // Each change is one call on one list, so a panic elsewhere leaves it whole.
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    fn make_room_for(&mut self, newcomer: ProcessInode) {
        let mut held = HashMap::from([(newcomer, 1)]);
        for taken in &self.taken {
            *held.entry(taken.who).or_insert(0) += 1;
        }
        let most = held.values().max().copied().unwrap_or(0);
        let of_the_greediest = self.taken.iter().position(|taken| held.get(&taken.who) == Some(&most));
        self.taken.remove(of_the_greediest.unwrap_or(0));
    }
}

impl Place {
    /// Waits until the place is lost to somebody else. May be asked again after it was cancelled.
    pub async fn lost(&mut self) {
        // Nothing is ever sent: an answer of any kind is the end.
        let _ = (&mut self.lost).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.crowd.lock().taken.retain(|taken| taken.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_lost(place: &mut Place) -> bool {
        !matches!(place.lost.try_recv(), Err(oneshot::error::TryRecvError::Empty))
    }

    fn who(inode: u64) -> ProcessInode {
        ProcessInode(inode)
    }

    #[test]
    fn the_process_with_the_most_places_loses_its_oldest_one() {
        let crowd = Crowd::new(4);
        let mut patient = crowd.enter(who(1));
        let mut greedy: Vec<Place> = (0..3).map(|_| crowd.enter(who(2))).collect();
        let mut other = crowd.enter(who(3));
        let lost: Vec<bool> = greedy.iter_mut().map(is_lost).collect();
        assert_eq!((is_lost(&mut patient), lost, is_lost(&mut other)), (false, vec![true, false, false], false));
    }

    #[test]
    fn among_equals_the_newcomer_himself_counts_first_and_then_the_oldest() {
        for (comers, expected) in [([1, 2, 2], [false, true, false]), ([1, 2, 3], [true, false, false])] {
            let crowd = Crowd::new(2);
            let mut places = comers.map(|inode| crowd.enter(who(inode)));
            assert_eq!(places.each_mut().map(is_lost), expected, "{comers:?}");
        }
    }

    #[test]
    fn a_place_that_is_given_back_is_free() {
        let crowd = Crowd::new(1);
        drop(crowd.enter(who(1)));
        let mut stays = crowd.enter(who(2));
        assert!(!is_lost(&mut stays));
        drop(stays);
        assert!(crowd.lock().taken.is_empty());
    }

    #[test]
    fn a_place_that_was_lost_takes_nobody_elses_with_it() {
        let crowd = Crowd::new(1);
        let lost = crowd.enter(who(1));
        let mut stays = crowd.enter(who(2));
        drop(lost);
        assert!(!is_lost(&mut stays));
        assert_eq!(crowd.lock().taken.len(), 1);
    }
}
