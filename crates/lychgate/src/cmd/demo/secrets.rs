//! What the demo's vault is opened and answered with. Random, in memory, wiped.

use std::io;
use zeroize::Zeroizing;

/// Bytes of passphrase and credential.
const BYTES: usize = 16;

/// Factors and the one credential.
pub(super) struct Secrets {
    pub(super) passphrase: Zeroizing<String>,
    pub(super) pin: Zeroizing<String>,
    pub(super) bearer: Zeroizing<String>,
}

impl Secrets {
    pub(super) fn random() -> io::Result<Self> {
        let mut digits = [0; 4];
        getrandom::fill(&mut digits).map_err(io::Error::other)?;
        Ok(Self {
            passphrase: random_hex()?,
            // Six digits; that some are a little likelier than others harms nobody here.
            pin: Zeroizing::new(format!("{:06}", u32::from_le_bytes(digits) % 1_000_000)),
            bearer: Zeroizing::new(format!("demo-{}", *random_hex()?)),
        })
    }
}

fn random_hex() -> io::Result<Zeroizing<String>> {
    let mut bytes = Zeroizing::new([0; BYTES]);
    getrandom::fill(bytes.as_mut_slice()).map_err(io::Error::other)?;
    Ok(Zeroizing::new(hex::encode(bytes.as_slice())))
}
