//! A program file whose file system is a program of the harness, and may stop answering.

use super::World;
use super::children::{Output, Running};
use super::place::python;
use std::io::Write;
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};

/// See the module.
pub struct Served {
    process: Running,
    stdin: ChildStdin,
    output: Output,
    directory: PathBuf,
}

impl World {
    /// A copy of Python as `pilot`, served from now on.
    #[track_caller]
    pub fn serve_python(&self) -> Served {
        assert!(
            rustix::process::getuid().is_root(),
            "this test mounts a file system, which only root can do: run `cargo xtask test` as root"
        );
        let directory = self.dir().join("served");
        std::fs::create_dir(&directory).unwrap();
        let mut command = Command::new(python());
        command.arg(self.file("served.py", include_bytes!("served.py")));
        command.arg(&directory).arg(std::fs::canonicalize(python()).unwrap()).arg("pilot");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Running::start("file server", command);
        let stdin = process.stdin().unwrap();
        let output = Output::of(&mut process);
        let served = Served { process, stdin, output, directory };
        served.hears("mounted");
        served
    }
}

impl Served {
    /// The file.
    pub fn path(&self) -> PathBuf {
        self.directory.join("pilot")
    }

    /// Nobody who asks for the file hears anything from now on.
    #[track_caller]
    pub fn stops_answering(&mut self) {
        self.stdin.write_all(b"\n").unwrap();
        self.hears("stopped");
    }

    #[track_caller]
    fn hears(&self, word: &str) {
        assert_eq!(self.output.line().as_deref(), Some(word), "{}", self.output.text());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // With its server gone, whoever waits goes on with an error.
        self.process.kill();
        let _ = Command::new("umount").arg("--lazy").arg(&self.directory).stderr(Stdio::null()).status();
    }
}
