//! How long the rule takes alone: an allowed use and a refused one, beside the digest of the subject, which each decision
//! takes, and beside the clock that measures.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench dies loudly, and prints what it measured")]

mod approved;

use approved::{Approved, fixture};
use lychgate_bench::{Contender, side_by_side, timed};
use lychgate_core::decide::{Decision, decide};
use lychgate_core::evidence::{LiveChain, Seen, Subject};
// For the fixture.
use lychgate_core::{approval, channel, evidence, ids, provenance, request};

fn main() {
    let chain = vec![fixture::process(12, 11), fixture::process(11, 10), fixture::process(10, 1)];
    let processes = chain.iter().map(fixture::alive).collect();
    let subject = Subject::observed(chain, "kernel".into()).unwrap();
    let same = LiveChain { sender: Seen::Seen(subject.peer().unwrap().inode), processes };
    let mut other = same.clone();
    other.processes.iter_mut().for_each(|process| process.same_image = Seen::Seen(false));

    let approved = Approved::of(&subject);
    let round = |chain: &LiveChain, allow: bool| {
        let (question, authority) = (approved.question(), approved.authority());
        let live = approved.live(&subject, chain);
        let mut verdict = None;
        // The verdict is dropped outside of the time: the gateway goes on with it.
        let took = timed(|| verdict = Some(decide(question, authority, &live)));
        assert_eq!(matches!(verdict, Some(Decision::Allow(_))), allow);
        took
    };
    let [allow, deny, digest, clock] = side_by_side(
        500,
        [
            Contender::new("allow", 100, || round(&same, true)),
            Contender::new("deny, other programs run", 100, || round(&other, false)),
            Contender::new("digest of the subject", 100, || timed(|| subject.digest())),
            Contender::new("the clock alone", 100, || timed(|| ())),
        ],
    );
    println!("decide, one action of a chain of three processes");
    println!("{allow}\n{deny}\n{digest}\n{clock}\n{}\n{}", allow.beside(&digest), deny.beside(&digest));
}
