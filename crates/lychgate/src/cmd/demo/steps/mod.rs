//! The story, step by step. Each step says what happens, does it, and holds it against what it must give.

mod delivery;
mod journal;
mod resume;
mod set_up;

use super::failure;
use super::person::Person;
use super::place::Place;
use super::stage::Stage;
use crate::output;
use crate::trouble::Trouble;
use lychgate_text::{Catalogue, Demo, DemoFailure, DemoStep};

/// Tells the story to its end, or to the first step that does not give what it must.
pub(super) async fn tell(say: &'static dyn Catalogue, place: &Place, person: Person) -> Result<(), Trouble> {
    let mut teller = Teller { say, number: 0 };
    let stage = set_up::set_up(&mut teller, place, person).await;
    let mut stage = stage.map_err(|trouble| teller.stopped(DemoStep::SetUp, &trouble))?;
    for step in DemoStep::ALL.into_iter().skip(1) {
        teller.begin(step);
        stage.person.pause().await;
        perform(&mut stage, step).await.map_err(|trouble| teller.stopped(step, &trouble))?;
        stage.person.pause().await;
    }
    output::prose(&say.demo(&Demo::Done));
    Ok(())
}

async fn perform(stage: &mut Stage<'_>, step: DemoStep) -> Result<(), Trouble> {
    match step {
        DemoStep::SetUp => Ok(()), // The stage stands.
        DemoStep::FirstYes => set_up::first_yes(stage).await,
        DemoStep::ProcessChanged => resume::process_changed(stage).await,
        DemoStep::GatewayRestarted => resume::gateway_restarted(stage).await,
        DemoStep::VaultStateChanged => resume::vault_state_changed(stage).await,
        DemoStep::ResultLost => delivery::result_lost(stage).await,
        DemoStep::NeverStarted => delivery::never_started(stage).await,
        DemoStep::Journal => journal::journal(stage).await,
    }
}

/// Counts the steps.
struct Teller {
    say: &'static dyn Catalogue,
    number: usize,
}

impl Teller {
    fn begin(&mut self, step: DemoStep) {
        self.number += 1;
        output::prose(&self.say.demo(&Demo::Heading { number: self.number, step }));
        output::prose(&self.say.demo(&Demo::Story { step }));
    }

    fn stopped(&self, step: DemoStep, trouble: &Trouble) -> Trouble {
        failure(self.say, &DemoFailure::Step { number: self.number, step, why: &trouble.text })
    }
}
