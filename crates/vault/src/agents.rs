//! Programs that the operator vouches for. Each change is saved before it counts.

use crate::error::VaultError;
use crate::unlocked::Unlocked;
use lychgate_core::agent_pin::{AgentName, AgentPin};

const MOST_AGENTS: usize = 1_000;

impl Unlocked {
    /// The pins, in the order in which they were made. Several may have one name: a program and its next version.
    #[must_use]
    pub fn agents(&self) -> &[AgentPin] {
        &self.payload.agents
    }

    /// Adds a pin. One for the same digest is replaced, so that a program has one name.
    ///
    /// # Errors
    /// There are too many, or it could not be saved (nothing changed).
    pub fn pin_agent(&mut self, pin: AgentPin) -> Result<(), VaultError> {
        let before = self.payload.agents.clone();
        self.payload.agents.retain(|known| known.sha256 != pin.sha256);
        if self.payload.agents.len() >= MOST_AGENTS {
            self.payload.agents = before;
            return Err(VaultError::TooManyAgents(MOST_AGENTS));
        }
        self.payload.agents.push(pin);
        self.save_change().inspect_err(|_| self.payload.agents = before)
    }

    /// Removes all pins of this name; how many there were.
    ///
    /// # Errors
    /// There is none, or it could not be saved (they are still there).
    pub fn unpin_agent(&mut self, name: &AgentName) -> Result<usize, VaultError> {
        let before = self.payload.agents.clone();
        self.payload.agents.retain(|known| known.name != *name);
        let removed = before.len() - self.payload.agents.len();
        if removed == 0 {
            return Err(VaultError::NoAgent(name.clone()));
        }
        self.save_change().inspect_err(|_| self.payload.agents = before)?;
        Ok(removed)
    }
}
