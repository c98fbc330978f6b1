//! Programs from Debian packages.

use crate::Failure;
use crate::report::run;
use crate::tools::is_root;
use std::path::Path;
use std::process::{Command, Stdio};

/// A package, how its presence shows, and what it is needed for.
pub(crate) struct Package {
    name: &'static str,
    sign: Sign,
    why: &'static str,
}

/// What shows that a package is there.
enum Sign {
    /// These programs can be found.
    Programs(&'static [&'static str]),
    /// This command succeeds.
    Succeeds(&'static [&'static str]),
}

/// What the tests need.
pub(crate) const FOR_TESTS: [Package; 8] = [
    Package { name: "bash", sign: Sign::Programs(&["bash"]), why: "stands between agent and shim as a login shell" },
    Package { name: "cron", sign: Sign::Programs(&["cron"]), why: "starts an agent by a timer" },
    Package { name: "git", sign: Sign::Programs(&["git"]), why: "lists the files that the house rules look at" },
    Package { name: "passwd", sign: Sign::Programs(&["useradd"]), why: "makes the ordinary users" },
    Package {
        name: "python3-venv",
        sign: Sign::Succeeds(&[super::python::SYSTEM_PYTHON, "-c", "import ensurepip, venv"]),
        why: "drives `lych mcp` with the official MCP SDK",
    },
    Package {
        name: "strace",
        sign: Sign::Programs(&["strace"]),
        why: "shows which bytes were written and synced when, and holds system calls of the gateway",
    },
    Package {
        name: "tmux",
        sign: Sign::Programs(&["tmux"]),
        why: "answers cards by keys through a terminal, and starts agents",
    },
    Package {
        name: "util-linux",
        sign: Sign::Programs(&["unshare", "setpriv", "runuser"]),
        why: "becomes an ordinary user, or another namespace",
    },
];

/// What the benches need: the peers that they measure beside us.
pub(crate) const FOR_BENCHES: [Package; 3] = [
    Package {
        name: "dbus-daemon",
        sign: Sign::Programs(&["dbus-daemon"]),
        why: "is the bus that polkit is asked over",
    },
    Package { name: "polkitd", sign: Sign::Programs(&["pkcheck"]), why: "is asked beside our own check" },
    Package {
        name: "systemd",
        sign: Sign::Programs(&["systemctl"]),
        why: "brings the action that polkit is asked about",
    },
];

/// Installs the packages of a list that are missing, as root; else names them.
pub(crate) fn install(packages: &[Package]) -> Result<(), Failure> {
    let missing: Vec<&Package> = packages.iter().filter(|package| !present(&package.sign)).collect();
    if missing.is_empty() {
        println!("all Debian packages are there");
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    if !is_root()? || !found("apt-get") {
        let wanted: Vec<String> = missing.iter().map(|package| format!("{} ({})", package.name, package.why)).collect();
        return Err(format!("missing packages: {}; install them, or run this as root on Debian", wanted.join(", ")));
    }
    run(apt().arg("update"))?;
    run(apt().args(["install", "-y", "--no-install-recommends"]).args(&names))?;
    match missing.iter().find(|package| !present(&package.sign)) {
        None => Ok(()),
        Some(package) => Err(format!("{} was installed, and still does not give what it must", package.name)),
    }
}

fn apt() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn present(sign: &Sign) -> bool {
    match sign {
        Sign::Programs(programs) => programs.iter().all(|program| found(program)),
        Sign::Succeeds(words) => words.split_first().is_some_and(|(program, arguments)| {
            let mut command = Command::new(program);
            command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        }),
    }
}

/// Looks along PATH, and where administrators' programs are that PATH often lacks.
fn found(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/sbin", "/sbin"].map(Into::into);
    std::env::split_paths(&path).chain(usual).any(|folder| Path::new(&folder).join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_a_failing_command_and_one_of_two_do_not_count_as_present() {
        assert!(present(&Sign::Programs(&["sh"])));
        assert!(!present(&Sign::Programs(&["there-is-no-such-program"])));
        assert!(!present(&Sign::Programs(&["sh", "there-is-no-such-program"])));
        assert!(present(&Sign::Succeeds(&["true"])));
        assert!(!present(&Sign::Succeeds(&["false"])));
        assert!(!present(&Sign::Succeeds(&["there-is-no-such-program"])));
    }
}
