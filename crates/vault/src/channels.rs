//! Adding, changing and removing channels. Each change is saved before it counts; where it can't be, nothing changed.

use crate::error::VaultError;
use crate::payload::{Secret, StoredChannel};
use crate::unlocked::Unlocked;
use lychgate_core::channel::{ApprovalSettings, Channel, ChannelName, HttpBinding};
use lychgate_core::secret::SecretBytes;

const MOST_CHANNELS: usize = 1_000;
/// A private key or a long token fits; the sealed file stays small.
const MOST_SECRET_BYTES: usize = 64 * 1024;

/// A list of a channel's binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingList {
    /// Where requests may go.
    Origins,
    /// Path prefixes.
    Paths,
    /// HTTP methods.
    Methods,
}

impl Unlocked {
    /// Adds a channel with its secret. The vault gives the version; the one in `channel` is not looked at.
    ///
    /// # Errors
    /// The name is taken, a list of the binding is empty, the secret is empty or too long, or it could not be saved.
    pub fn add_channel(&mut self, channel: Channel, secret: SecretBytes) -> Result<&Channel, VaultError> {
        if self.channel(&channel.name).is_some() {
            return Err(VaultError::ChannelExists(channel.name));
        }
        if self.payload.channels.len() >= MOST_CHANNELS {
            return Err(VaultError::TooManyChannels(MOST_CHANNELS));
        }
        check_binding(&channel.name, &channel.binding)?;
        check_secret(&channel.name, &secret)?;
        let secret = Secret::kept(&secret)?;
        let name = channel.name.clone();
        let version = self.next_version();
        self.payload.channels.push(StoredChannel { channel: Channel { version, ..channel }, secret });
        if let Err(error) = self.save_change() {
            self.payload.channels.pop();
            return Err(error);
        }
        self.channel(&name).ok_or(VaultError::NoChannel(name))
    }

    /// Changes binding and approval settings. The version rises, so approvals of the channel end.
    ///
    /// # Errors
    /// There is no such channel, a list of the binding is empty, or it could not be saved.
    pub fn edit_channel(
        &mut self,
        name: &ChannelName,
        binding: HttpBinding,
        approval: ApprovalSettings,
    ) -> Result<&Channel, VaultError> {
        check_binding(name, &binding)?;
        let at = self.position(name)?;
        let version = self.next_version();
        let stored = self.stored(at, name)?;
        let kind = stored.channel.kind;
        let new = Channel { name: name.clone(), version, binding, kind, approval };
        let old = std::mem::replace(&mut stored.channel, new);
        if let Err(error) = self.save_change() {
            self.stored(at, name)?.channel = old;
            return Err(error);
        }
        self.channel(name).ok_or_else(|| VaultError::NoChannel(name.clone()))
    }

    /// Replaces the secret. The version stays: no new approval is needed for a rotation.
    ///
    /// # Errors
    /// There is no such channel, the secret is empty or too long, or it could not be saved (the old one holds).
    pub fn rotate_secret(&mut self, name: &ChannelName, secret: SecretBytes) -> Result<(), VaultError> {
        check_secret(name, &secret)?;
        let at = self.position(name)?;
        let secret = Secret::kept(&secret)?;
        let old = std::mem::replace(&mut self.stored(at, name)?.secret, secret);
        if let Err(error) = self.save_change() {
            self.stored(at, name)?.secret = old;
            return Err(error);
        }
        Ok(())
    }

    /// Removes a channel with its secret. It stays in `vault.previous` until the next change.
    ///
    /// # Errors
    /// There is no such channel, or it could not be saved (it is still there).
    pub fn remove_channel(&mut self, name: &ChannelName) -> Result<(), VaultError> {
        let at = self.position(name)?;
        let removed = self.payload.channels.remove(at);
        if let Err(error) = self.save_change() {
            self.payload.channels.insert(at, removed);
            return Err(error);
        }
        Ok(())
    }

    /// Never given twice, not even where the save after it fails.
    fn next_version(&mut self) -> u32 {
        let version = self.payload.next_channel_version;
        self.payload.next_channel_version = version.saturating_add(1);
        version
    }

    fn position(&self, name: &ChannelName) -> Result<usize, VaultError> {
        self.channels().position(|channel| channel.name == *name).ok_or_else(|| VaultError::NoChannel(name.clone()))
    }

    fn stored(&mut self, at: usize, name: &ChannelName) -> Result<&mut StoredChannel, VaultError> {
        self.payload.channels.get_mut(at).ok_or_else(|| VaultError::NoChannel(name.clone()))
    }
}

fn check_binding(name: &ChannelName, binding: &HttpBinding) -> Result<(), VaultError> {
    let lists = [
        (BindingList::Origins, binding.origins.is_empty()),
        (BindingList::Paths, binding.paths.is_empty()),
        (BindingList::Methods, binding.methods.is_empty()),
    ];
    match lists.into_iter().find(|(_, empty)| *empty) {
        Some((what, _)) => Err(VaultError::EmptyBinding { name: name.clone(), what }),
        None => Ok(()),
    }
}

fn check_secret(name: &ChannelName, secret: &SecretBytes) -> Result<(), VaultError> {
    if (1..=MOST_SECRET_BYTES).contains(&secret.expose().len()) {
        Ok(())
    } else {
        Err(VaultError::SecretLength { name: name.clone(), most: MOST_SECRET_BYTES })
    }
}
