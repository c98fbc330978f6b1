//! What commands take from the crates that keep things: each in one place.

use crate::cmd::Context;
use crate::trouble::{Exit, Outcome, Trouble};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lychgate_core::card::visible;
use lychgate_gateway::Options;
use lychgate_journal::{CreateParams, Journal, SEGMENT_BYTES_DEFAULT, VaultSigner};
use lychgate_seal::{Cost, Sealed, Slot, SlotId, SlotKey, SlotKind, durable, kdf};
use lychgate_text::{Attempt, Cause, Problem};
use lychgate_vault::{Files, Signer, VAULT_KIND};
use lychgate_wire::sensitive::Sensitive;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

/// What one try of the passphrase takes on this machine. Long for whoever guesses, short for whoever knows.
const PASSPHRASE_TAKES: Duration = Duration::from_millis(500);
/// Hexadecimal digits of the short form of a key, in groups of four.
const SHORT_DIGITS: usize = 16;

/// What was created.
pub(crate) struct Created {
    /// The vault's public key, hexadecimal.
    pub(crate) public_key: String,
    /// The beginning of it, for comparing by eye. Proves nothing.
    pub(crate) short_key: String,
}

/// True where anything stands at the vault's place, readable or not.
pub(crate) fn vault_exists(context: &Context) -> bool {
    let files = Files::in_dir(&context.paths.state);
    [files.vault(), files.previous()].iter().any(|path| path.symlink_metadata().is_ok())
}

/// What a new state directory costs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// What one try of the passphrase costs, for the owner and for a thief.
    pub(crate) cost: Cost,
    /// Size of a journal segment, in bytes.
    pub(crate) segment_bytes: u64,
}

/// Creates audit key, vault and journal. A failure takes back what it had made, and nothing that stood there before.
///
/// A low cost makes guessing cheap: `lych demo` alone chooses one, for a passphrase that protects nothing.
pub(crate) fn create_sized(context: &Context, passphrase: &str, pin: &str, sizes: Sizes) -> Result<Created, Trouble> {
    let Sizes { cost, segment_bytes } = sizes;
    let dir = &context.paths.state;
    let files = Files::in_dir(dir);
    drop(lychgate_seal::durable::private_dir(dir).map_err(|refused| {
        let (dir, why) = (visible(&dir.display().to_string()), visible(&refused.to_string()));
        Trouble::of(context.say, &Problem::Directory { dir: &dir, why: &why })
    })?);
    if files.audit().join("LOG").symlink_metadata().is_ok() {
        return Err(store_because(context, Attempt::CreatingVault, Cause::JournalWithoutVault));
    }
    let recipient = lychgate_view::audit_key::create(&files.audit_key(), passphrase.as_bytes(), cost)
        .map_err(|error| store(context, Attempt::CreatingAuditKey, error))?;
    let vault = lychgate_vault::init(dir, passphrase.as_bytes(), pin.as_bytes(), cost).map_err(|error| {
        take_back(&[files.audit_key()]);
        store(context, Attempt::CreatingVault, error)
    })?;
    let public_key = hex::encode(vault.vault_public);
    let params = CreateParams {
        log_origin: format!("lychgate/{}", public_key.get(..SHORT_DIGITS).unwrap_or_default()),
        vault_signer: &Signs(vault.signer),
        recipient,
        segment_bytes,
    };
    Journal::create(&files.audit(), params, &mut lychgate_journal::random::SystemRandom).map_err(|error| {
        // The vault was made a moment ago and is empty.
        take_back(&[files.vault(), files.audit_key()]);
        store(context, Attempt::CreatingJournal, error)
    })?;
    Ok(Created { short_key: short(&public_key), public_key })
}

/// [`create_sized`] for a person.
pub(crate) fn create(context: &Context, passphrase: &str, pin: &str) -> Result<Created, Trouble> {
    let cost = Cost::measured(PASSPHRASE_TAKES).map_err(|error| store(context, Attempt::MeasuringMachine, error))?;
    create_sized(context, passphrase, pin, Sizes { cost, segment_bytes: SEGMENT_BYTES_DEFAULT })
}

/// Removes what this command made. What can't be removed is in the way of the next try, which says so.
fn take_back(made: &[PathBuf]) {
    for path in made {
        let _ = std::fs::remove_file(path);
    }
}

/// The slot that takes a passphrase, and its key as the gateway wants it. Slow: the passphrase is derived here.
pub(crate) fn slot_key(context: &Context, passphrase: &str) -> Result<(u32, Sensitive), Trouble> {
    let slots =
        lychgate_vault::slots(&context.paths.state).map_err(|error| store(context, Attempt::ReadingVault, error))?;
    let (slot, key) = derive(context, &slots, passphrase)?;
    Ok((slot.0, Sensitive::new(STANDARD.encode(key.expose()))))
}

/// Puts a vault file back, once the passphrase has opened it. The next unlock names what was put back.
pub(crate) fn restore(context: &Context, source: &Path, passphrase: &str) -> Result<(), Trouble> {
    let failed = |error: &dyn std::fmt::Display| store(context, Attempt::RestoringVault, error);
    let bytes = durable::read_owned(source, VAULT_KIND.max_bytes).map_err(|error| failed(&error))?;
    let sealed = Sealed::parse(VAULT_KIND, source, bytes.to_vec()).map_err(|error| failed(&error))?;
    let (slot, key) = derive(context, sealed.slots(), passphrase)?;
    let opened = sealed.unwrap_master(slot, &key).and_then(|master| sealed.open(&master));
    drop(opened.map_err(|error| failed(&error))?);
    lychgate_vault::restore(&context.paths.state, source).map(drop).map_err(|error| failed(&error))
}

fn derive(context: &Context, slots: &[Slot], passphrase: &str) -> Result<(SlotId, SlotKey), Trouble> {
    let slot = slots
        .iter()
        .find(|slot| slot.kind() == SlotKind::Passphrase)
        .ok_or_else(|| store_because(context, Attempt::ReadingVault, Cause::NoPassphraseSlot))?;
    let key = kdf::derive(passphrase.as_bytes(), slot.salt(), slot.cost())
        .map_err(|error| store(context, Attempt::TryingPassphrase, error))?;
    Ok((slot.id(), key))
}

/// Serves until the gateway is stopped.
pub(crate) fn serve_gateway(context: &Context, version: &str, ready: Box<dyn FnOnce() + Send>) -> Outcome {
    let options = Options {
        state_dir: context.paths.state.clone(),
        run_dir: context.paths.run.clone(),
        version: version.to_owned(),
        ready,
    };
    lychgate_gateway::run(options).map(|()| Exit::Done).map_err(|error| store(context, Attempt::RunningGateway, error))
}

fn short(key: &str) -> String {
    let digits: Vec<char> = key.chars().take(SHORT_DIGITS).collect();
    digits.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

/// The vault's key signs the journal's LOG.
struct Signs(Signer);

impl VaultSigner for Signs {
    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message)
    }

    fn public(&self) -> [u8; 32] {
        self.0.public()
    }
}

/// Paths in the words of these crates can hold anything.
pub(crate) fn store(context: &Context, what: Attempt<'_>, why: impl std::fmt::Display) -> Trouble {
    let why = why.to_string().lines().map(visible).collect::<Vec<_>>().join("\n  ");
    store_because(context, what, Cause::Said(&why))
}

fn store_because(context: &Context, what: Attempt<'_>, why: Cause<'_>) -> Trouble {
    Trouble::of(context.say, &Problem::Store { what, why })
}
