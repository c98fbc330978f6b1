//! A directory for one test, removed afterwards.
#![allow(dead_code, clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        let name = format!("lychgate-test-{:032x}", u128::from_le_bytes(lychgate_seal::random::bytes().unwrap()));
        let path = std::env::temp_dir().join(name);
        drop(lychgate_seal::durable::private_dir(&path).unwrap());
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
