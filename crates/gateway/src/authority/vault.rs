//! The vault in the gateway's hands: locked or open, never in between for anyone who holds the lock.

use crate::operator::Refused;
use lychgate_core::agent_pin::{AgentName, AgentPin};
use lychgate_core::channel::{Channel, ChannelName};
use lychgate_core::decide::VaultNow;
use lychgate_core::ids::VaultEpoch;
use lychgate_core::proof::{Armed, Released};
use lychgate_core::secret::SecretBytes;
use lychgate_text::GatewayText as Text;
use lychgate_vault::{EpochWarning, Locked, PinVerdict, StoreKey, Unlocked, VaultError};
use lychgate_wire::operator::Failure;

/// The vault.
pub(crate) enum VaultHold {
    /// Locked.
    Locked(Locked),
    /// Open.
    Open(Unlocked),
    /// Being locked: nothing is released any more; the signing key serves for one last anchor.
    Closing(Unlocked),
    /// Given away within one method; seen by nobody, and as good as locked.
    Moving,
}

/// What an unlock brings beside the open vault.
pub(crate) struct Unlock {
    pub(crate) epoch: VaultEpoch,
    pub(crate) store_key: StoreKey,
    pub(crate) warning: Option<EpochWarning>,
}

fn say(text: &Text<'_>) -> String {
    lychgate_text::english().gateway(text)
}

const NO_EPOCH: VaultEpoch = VaultEpoch { number: 0, nonce: [0; 16] };

impl VaultHold {
    /// The vault as `decide` wants it.
    pub(crate) fn now(&self) -> VaultNow {
        match self {
            Self::Open(open) => VaultNow::Unlocked(open.epoch()),
            Self::Locked(_) | Self::Closing(_) | Self::Moving => VaultNow::Locked,
        }
    }

    /// The epoch, also of a locked vault: for rows.
    pub(crate) fn epoch(&self) -> VaultEpoch {
        match self {
            Self::Open(open) | Self::Closing(open) => open.epoch(),
            Self::Locked(locked) => locked.epoch(),
            Self::Moving => NO_EPOCH,
        }
    }

    /// Channels; none while it is locked: ask [`VaultHold::now`] before you say that there are none.
    pub(crate) fn channels(&self) -> Vec<Channel> {
        match self {
            Self::Open(open) => open.channels().cloned().collect(),
            Self::Locked(_) | Self::Closing(_) | Self::Moving => Vec::new(),
        }
    }

    pub(crate) fn channel(&self, name: &ChannelName) -> Option<Channel> {
        match self {
            Self::Open(open) => open.channel(name).cloned(),
            Self::Locked(_) | Self::Closing(_) | Self::Moving => None,
        }
    }

    /// Opens it with a slot's key.
    pub(crate) fn unlock(
        &mut self,
        slot: lychgate_seal::SlotId,
        key: &lychgate_seal::SlotKey,
    ) -> Result<Unlock, Refused> {
        let locked = match std::mem::replace(self, Self::Moving) {
            Self::Locked(locked) => locked,
            open @ Self::Open(_) => {
                *self = open;
                return Err(Refused::new(Failure::Refused, say(&Text::OpenAlready)));
            }
            closing @ Self::Closing(_) => {
                *self = closing;
                return Err(Refused::new(Failure::Refused, say(&Text::BeingLocked)));
            }
            Self::Moving => return Err(Refused::new(Failure::Fault, say(&Text::VaultOutOfReach))),
        };
        match locked.unlock(slot, key) {
            Ok(open) => {
                let unlock =
                    Unlock { epoch: open.epoch(), store_key: open.store_key(), warning: open.warning().copied() };
                *self = Self::Open(open);
                Ok(unlock)
            }
            Err(failed) => {
                let kind = match failed.error {
                    VaultError::Seal(lychgate_seal::SealError::WrongKey { .. }) => Failure::WrongFactor,
                    _ => Failure::Fault,
                };
                let text = failed.error.to_string();
                *self = Self::Locked(failed.locked);
                Err(Refused::new(kind, text))
            }
        }
    }

    /// Begins to lock: from here on nothing is released. `false` where it was not open.
    pub(crate) fn close(&mut self) -> bool {
        match std::mem::replace(self, Self::Moving) {
            Self::Open(open) => {
                *self = Self::Closing(open);
                true
            }
            other => {
                *self = other;
                false
            }
        }
    }

    /// Locks it: the epoch rises and every secret is wiped. The text is what could not be put on disk.
    pub(crate) fn lock(&mut self) -> Option<String> {
        match std::mem::replace(self, Self::Moving) {
            Self::Open(open) | Self::Closing(open) => {
                let (locked, error) = open.lock();
                *self = Self::Locked(locked);
                error.map(|error| error.to_string())
            }
            other => {
                *self = other;
                None
            }
        }
    }

    /// The credential for an armed action.
    pub(crate) fn release(&self, armed: &Armed) -> Result<Released, String> {
        match self {
            Self::Open(open) => open.release(armed).map_err(|refused| refused.to_string()),
            Self::Locked(_) | Self::Closing(_) | Self::Moving => Err(say(&Text::EndedBeforeFirstByte)),
        }
    }

    /// Checks the PIN for one command.
    pub(crate) fn check_pin(&mut self, pin: &[u8]) -> Result<(), Refused> {
        let verdict = self.open()?.check_pin(pin);
        match verdict {
            Ok(PinVerdict::Ok) => Ok(()),
            Ok(PinVerdict::Wrong { left }) => Err(Refused::new(Failure::WrongFactor, say(&Text::WrongPin { left }))),
            Ok(PinVerdict::Blocked) => Err(Refused::new(Failure::WrongFactor, say(&Text::PinBlocked))),
            Err(error) => Err(Refused::new(Failure::Fault, error.to_string())),
        }
    }

    /// Adds a channel; its version.
    pub(crate) fn add_channel(&mut self, channel: Channel, secret: SecretBytes) -> Result<u32, Refused> {
        let added = self.open()?.add_channel(channel, secret);
        added.map(|channel| channel.version).map_err(|error| Refused::new(Failure::Refused, error.to_string()))
    }

    /// Removes a channel; the version it had.
    pub(crate) fn remove_channel(&mut self, name: &ChannelName) -> Result<u32, Refused> {
        let open = self.open()?;
        let version = open.channel(name).map_or(0, |channel| channel.version);
        open.remove_channel(name).map_err(|error| Refused::new(Failure::NotFound, error.to_string()))?;
        Ok(version)
    }

    /// Programs that the operator vouches for; none while it is locked.
    pub(crate) fn agents(&self) -> Vec<AgentPin> {
        match self {
            Self::Open(open) => open.agents().to_vec(),
            Self::Locked(_) | Self::Closing(_) | Self::Moving => Vec::new(),
        }
    }

    /// Vouches for a program.
    pub(crate) fn pin_agent(&mut self, pin: AgentPin) -> Result<(), Refused> {
        self.open()?.pin_agent(pin).map_err(|error| Refused::new(Failure::Refused, error.to_string()))
    }

    /// Vouches no longer.
    pub(crate) fn unpin_agent(&mut self, name: &AgentName) -> Result<(), Refused> {
        let removed = self.open()?.unpin_agent(name);
        removed.map(drop).map_err(|error| Refused::new(Failure::NotFound, error.to_string()))
    }

    /// Signs for the journal.
    pub(crate) fn sign(&self, message: &[u8]) -> Option<[u8; 64]> {
        match self {
            Self::Open(open) | Self::Closing(open) => Some(open.signer().sign(message)),
            Self::Locked(_) | Self::Moving => None,
        }
    }

    /// The public half of that key.
    pub(crate) fn public(&self) -> Option<[u8; 32]> {
        match self {
            Self::Open(open) | Self::Closing(open) => Some(open.signer().public()),
            Self::Locked(_) | Self::Moving => None,
        }
    }

    fn open(&mut self) -> Result<&mut Unlocked, Refused> {
        match self {
            Self::Open(open) => Ok(open),
            Self::Locked(_) | Self::Closing(_) | Self::Moving => Err(Refused::new(Failure::Locked, say(&Text::Locked))),
        }
    }
}
