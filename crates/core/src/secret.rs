//! Values that do not print, copy or serialise, and are wiped when dropped.

use zeroize::Zeroizing;

/// Secret bytes. There is no `Clone`, no `Serialize`, no `Display`; `Debug` shows the length class only.
pub struct SecretBytes(Zeroizing<Vec<u8>>);

impl SecretBytes {
    /// Takes the bytes over. The caller's copy is gone; copies that the caller made elsewhere are not.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes. Each call site is a place where the secret can leak: keep the borrow short and copy nothing.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// Another owner of the same bytes, for the one place (the vault) that keeps and lends.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self::new(self.0.to_vec())
    }

    /// True where there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretBytes(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::SecretBytes;

    #[test]
    fn debug_shows_nothing_of_the_secret() {
        let secret = SecretBytes::new(b"canary-4711".to_vec());
        assert!(!format!("{secret:?}").contains("canary"));
    }
}
