//! Linux: `/proc`, pidfds, and memory maps held open.

pub(crate) mod hash;
pub(crate) mod held;
pub(crate) mod image;
pub(crate) mod provenance;
pub(crate) mod text;
pub(crate) mod veiled;

use crate::world::{Process, World};
use held::Held;
use lychgate_core::evidence::Why;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::OnceLock;

/// The processes of this machine, as this process may see them.
#[derive(Debug, Clone, Copy)]
pub struct Linux;

impl World for Linux {
    fn adopt(&self, handle: BorrowedFd<'_>, pid: u32) -> Result<Box<dyn Process>, Why> {
        Ok(Box::new(Held::adopt(handle, pid)?))
    }

    fn boot(&self) -> Option<String> {
        static BOOT: OnceLock<Option<String>> = OnceLock::new();
        let boot = BOOT.get_or_init(|| {
            let file = std::fs::File::open("/proc/sys/kernel/random/boot_id").ok()?;
            let bytes = held::read_all(file.as_fd(), 64).ok()?;
            let text = String::from_utf8(bytes).ok()?;
            let boot = text.trim_end();
            (boot.len() == 36).then(|| boot.to_owned())
        });
        boot.clone()
    }
}
