//! Which programs only start others, and which are never an agent. Data.
//!
//! A name chooses what the card's headline calls the agent, and nothing else: every process of the chain stands on
//! the card and is bound, and a program that takes a launcher's name gains only that its parent is named instead. A
//! program that takes the name of a session manager is refused.

use crate::linux::text::base_name;
use lychgate_core::provenance::Unsigned;

/// What a program is in the way from a shim up to its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It started something for somebody else: look at its parent.
    Launcher,
    /// Nothing at or above it is an agent.
    Never,
    /// It may be the agent.
    Ordinary,
}

/// The role of a program by its file name and its command line (`arguments`, the process's own word).
#[must_use]
pub fn role(file_name: &str, arguments: &[String]) -> Role {
    if NEVER.contains(&file_name) || NEVER_BEGINNINGS.iter().any(|beginning| file_name.starts_with(beginning)) {
        return Role::Never;
    }
    let launches = match file_name {
        "node" | "nodejs" => node_launches(arguments),
        "bun" => bun_launches(arguments),
        "deno" => words(arguments).next() == Some("task"),
        name => LAUNCHERS.contains(&name),
    };
    if launches { Role::Launcher } else { Role::Ordinary }
}

/// Shells, wrappers that run one command under some setting, and runners of packages.
#[rustfmt::skip]
pub const LAUNCHERS: &[&str] = &[
    // shells
    "sh", "bash", "dash", "zsh", "fish", "ksh", "ksh93", "mksh", "oksh", "ash", "tcsh", "csh", "nu", "xonsh", "elvish", "pwsh",
    // many programs in one file, shells and wrappers among them
    "busybox", "toybox", "coreutils",
    // one command with another environment, limit, priority or terminal
    "env", "timeout", "setsid", "nice", "renice", "ionice", "chrt", "taskset", "nohup", "stdbuf", "setarch", "prlimit",
    "setpriv", "time", "chpst", "xargs", "script", "unbuffer", "flock", "caffeinate", "systemd-inhibit", "dbus-run-session",
    "bwrap",
    // one command with variables from somewhere
    "direnv", "op", "doppler", "infisical", "aws-vault", "chamber",
    // runners of packages and of tool versions
    "uv", "uvx", "bunx", "npx", "npm", "pnpm", "pnpx", "yarn", "volta", "volta-shim", "fnm", "mise", "asdf", "rtx", "proto", "nix",
];

/// Programs that hold a whole session, log people in, change who they are, or draw terminals.
#[rustfmt::skip]
pub const NEVER: &[&str] = &[
    // the first process, service managers, supervisors
    "systemd", "systemd-executor", "(sd-pam)", "init", "openrc-init", "runit", "runsv", "runsvdir", "s6-svscan", "s6-supervise",
    "dinit", "tini", "tini-static", "dumb-init", "catatonit", "docker-init", "supervisord", "launchd",
    "dbus-daemon", "dbus-broker", "dbus-broker-launch",
    // containers
    "conmon", "containerd", "dockerd", "runc", "crun", "podman", "lxc-start",
    // logins, and whoever changes the user
    "login", "getty", "agetty", "mingetty", "sshd", "sshd-session", "sshd-auth", "dropbear", "mosh-server", "etserver",
    "in.telnetd", "su", "sudo", "sudo-rs", "doas", "runuser", "pkexec", "run0",
    // timers
    "cron", "crond", "fcron", "anacron", "atd",
    // multiplexers
    "tmux", "screen", "zellij", "dtach", "abduco", "dvtm", "byobu", "mtm", "ttyd", "gotty", "asciinema",
    // terminals
    "xterm", "uxterm", "urxvt", "urxvtd", "rxvt", "st", "alacritty", "kitty", "kitten", "foot", "footclient", "ghostty", "konsole",
    "yakuake", "gnome-terminal", "gnome-terminal-server", "ptyxis", "ptyxis-agent", "kgx", "gnome-console", "wezterm",
    "wezterm-gui", "wezterm-mux-server", "tilix", "terminator", "guake", "terminology", "xfce4-terminal", "lxterminal",
    "mate-terminal", "qterminal", "deepin-terminal", "cosmic-term", "rio", "contour", "cool-retro-term", "blackbox", "extraterm",
    // desktops
    "Xorg", "Xwayland", "gnome-shell", "plasmashell", "startplasma-wayland", "startplasma-x11", "sway", "Hyprland", "niri",
    "river", "labwc", "weston", "i3", "awesome", "dwm", "openbox", "cinnamon", "lightdm", "ly", "greetd",
];

/// Families of such programs whose names go on in many ways.
pub const NEVER_BEGINNINGS: &[&str] = &[
    "containerd-shim",
    "gdm",
    "sddm",
    "gnome-session",
    "xfce4-session",
    "cosmic-session",
    "kwin_",
    "ksmserver",
    "kded",
];

/// npm, npx, pnpm and yarn are scripts under node; npm also writes its own title over the command line.
fn node_launches(arguments: &[String]) -> bool {
    let titled = arguments
        .first()
        .and_then(|title| title.split(' ').next())
        .is_some_and(|word| ["npm", "npx", "pnpm", "pnpx", "yarn"].contains(&word));
    titled || words(arguments).next().is_some_and(|script| NODE_LAUNCHERS.contains(&base_name(script)))
}

/// Names of the scripts.
#[rustfmt::skip]
const NODE_LAUNCHERS: &[&str] = &[
    "npx", "npx-cli.js", "npm", "npm-cli.js", "pnpm", "pnpm.js", "pnpm.cjs", "pnpm.mjs", "pnpx", "pnpx.cjs", "yarn", "yarn.js",
    "yarn.cjs", "yarnpkg", "corepack", "corepack.js",
];

/// `bun run agent.ts` is the agent itself; `bun run start` and `bun x tool` start one.
fn bun_launches(arguments: &[String]) -> bool {
    if arguments.first().is_some_and(|name| base_name(name) == "bunx") {
        return true;
    }
    let mut words = words(arguments);
    match words.next() {
        Some("x" | "exec") => true,
        Some("run") => words.next().is_some_and(|target| !is_script(target)),
        Some(target) => !is_script(target),
        None => false,
    }
}

fn is_script(target: &str) -> bool {
    let extension = base_name(target).rsplit_once('.').map(|(_, extension)| extension);
    target.contains('/') || matches!(extension, Some("js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx"))
}

/// The arguments that are no options.
fn words(arguments: &[String]) -> impl Iterator<Item = &str> {
    arguments.iter().skip(1).map(String::as_str).filter(|word| !word.starts_with('-') && !word.is_empty())
}

/// Why a program of this file name is unsigned, whoever vouches for its file: what it does is not in it.
#[must_use]
pub fn unsigned_whatever_the_file(file_name: &str) -> Option<Unsigned> {
    let versioned = |name: &str| file_name.strip_prefix(name).is_some_and(is_version);
    if file_name.starts_with("ld-linux") || file_name.starts_with("ld-musl") || file_name == "ld.so" {
        Some(Unsigned::Loader)
    } else if INTERPRETERS.iter().any(|name| versioned(name)) {
        Some(Unsigned::Interpreter)
    } else if MANY_PROGRAMS.contains(&file_name) {
        Some(Unsigned::ManyPrograms)
    } else if DEBUGGERS.iter().any(|name| versioned(name)) {
        Some(Unsigned::Debugger)
    } else if EMULATORS.contains(&file_name) || file_name.starts_with("qemu-") {
        Some(Unsigned::Emulator)
    } else {
        None
    }
}

/// What may follow the name of a program in its file's: nothing, or a version or variant of any kind (`3.13`,
/// `5.36-x86_64-linux-gnu`, `-multiarch`, `.nox`). Rather one program too many is unsigned than one too few.
fn is_version(rest: &str) -> bool {
    rest.chars().next().is_none_or(|first| !first.is_alphabetic())
}

/// Programs that run a script.
#[rustfmt::skip]
pub const INTERPRETERS: &[&str] = &[
    "node", "nodejs", "bun", "deno", "electron", "qjs", "gjs", "python", "pypy", "ipython", "perl", "ruby", "jruby", "irb", "php",
    "php-cgi", "lua", "luajit", "tclsh", "wish", "expect", "guile", "racket", "scheme", "sbcl", "clisp", "ecl", "java", "mono", "dotnet", "R",
    "Rscript", "julia", "octave", "octave-cli", "beam.smp", "erl", "escript", "elixir", "ocaml", "ghci", "runghc", "swipl", "ocamlrun", "luahbtex", "luatex", "nmap", "gawk", "mawk", "awk", "emacs",
    "vim", "vim.basic", "nvim", "make", "gmake", "just", "jq", "osascript",
    "sh", "bash", "rbash", "dash", "zsh", "fish", "ksh", "mksh", "oksh", "ash", "tcsh", "csh", "nu", "xonsh", "elvish", "pwsh",
];

/// Many programs in one file.
pub const MANY_PROGRAMS: &[&str] = &["busybox", "toybox", "coreutils", "gnu-coreutils", "sbase-box", "box"];

/// Programs that run another and may change it.
#[rustfmt::skip]
pub const DEBUGGERS: &[&str] = &[
    "gdb", "gdbserver", "lldb", "lldb-server", "strace", "ltrace", "rr", "valgrind", "valgrind.bin", "perf", "bpftrace", "uftrace", "frida", "delve", "dlv",
    "faketime", "fakeroot", "fakechroot", "proot", "eatmydata", "catchsegv", "sotruss",
];

/// Programs that run those of another machine or system.
pub const EMULATORS: &[&str] =
    &["wine", "wine64", "wine-preloader", "wine64-preloader", "box64", "box86", "FEXInterpreter", "scummvm", "dosbox"];

/// The script that the command line of an interpreter names; `None` where `file_name` is none, or it runs code from
/// elsewhere (`-c`, `-e`, a module, its input).
#[must_use]
pub fn script_of<'a>(file_name: &str, arguments: &'a [String]) -> Option<&'a str> {
    if unsigned_whatever_the_file(file_name) != Some(Unsigned::Interpreter) {
        return None;
    }
    let mut rest = arguments.iter().skip(1).map(String::as_str);
    while let Some(argument) = rest.next() {
        match argument {
            "--" => return rest.next(),
            // Python's own flags, which mean something else to others.
            "-E" | "-I" | "-i" | "-s" if file_name.starts_with("python") => {}
            "-" | "-c" | "-e" | "-m" | "-p" | "-r" | "-E" | "--eval" | "--print" | "-jar" | "-cp" | "-s" | "-i" => {
                return None;
            }
            "run" if matches!(file_name, "bun" | "deno") => {}
            "-W"
            | "-X"
            | "-Q"
            | "--require"
            | "--import"
            | "--loader"
            | "--experimental-loader"
            | "-C"
            | "--conditions"
            | "--env-file"
            | "--input-type"
            | "--title" => {
                let _value = rest.next();
            }
            option if option.starts_with('-') => {}
            script => return Some(script).filter(|script| !script.is_empty()),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(program: &str, command: &str) -> Role {
        let arguments: Vec<String> = command.split('|').map(str::to_owned).collect();
        role(program, &arguments)
    }

    #[test]
    fn launch_shapes_have_the_role_that_the_card_needs() {
        let table = [
            ("dash", "sh|-c|lych mcp", Role::Launcher),
            ("timeout", "timeout|9|lych|mcp", Role::Launcher),
            ("node", "node|/usr/lib/node_modules/npm/bin/npx-cli.js|-y|thing", Role::Launcher),
            ("node", "node|--no-warnings|/usr/bin/npx|thing", Role::Launcher),
            ("node", "npm exec @scope/thing", Role::Launcher),
            ("node", "npm run start", Role::Launcher),
            ("node", "npmish", Role::Ordinary),
            ("node", "node|/usr/lib/node_modules/agent/cli.js|npx", Role::Ordinary),
            ("node", "claude", Role::Ordinary),
            ("node", "node", Role::Ordinary),
            ("bun", "bun|run|start", Role::Launcher),
            ("bun", "bun|x|tool", Role::Launcher),
            ("bun", "/home/u/.bun/bin/bunx|tool", Role::Launcher),
            ("bun", "bun|run|agent.ts", Role::Ordinary),
            ("bun", "bun|run|./agent", Role::Ordinary),
            ("bun", "bun", Role::Ordinary),
            ("deno", "deno|task|start", Role::Launcher),
            ("deno", "deno|run|agent.ts", Role::Ordinary),
            ("uvx", "uvx|tool", Role::Launcher),
            ("python3.12", "python3|-m|agent", Role::Ordinary),
            (".claude-wrapped", "claude", Role::Ordinary),
            ("code", "/usr/share/code/code|--type=utility", Role::Ordinary),
            ("tmux", "tmux: server", Role::Never),
            ("systemd", "/usr/lib/systemd/systemd|--user", Role::Never),
            ("sshd-session", "sshd-session: u@pts/0", Role::Never),
            ("gdm-session-worker", "gdm-session-worker", Role::Never),
            ("sudo", "sudo|-u|u|lych", Role::Never),
        ];
        for (program, command, expected) in table {
            assert_eq!(of(program, command), expected, "{program}: {command}");
        }
    }

    #[test]
    fn no_name_stands_in_both_tables() {
        for name in LAUNCHERS {
            assert_eq!(of(name, name), Role::Launcher, "{name}");
        }
    }

    #[test]
    fn a_claimed_name_makes_nothing_a_launcher_whose_file_is_not() {
        assert_eq!(of("agent", "sh|-c|x"), Role::Ordinary);
        assert_eq!(of("agent", "npm exec thing"), Role::Ordinary);
    }

    #[test]
    fn what_runs_something_else_is_unsigned_whatever_its_file() {
        for (name, why) in [
            ("ld-linux-x86-64.so.2", Unsigned::Loader),
            ("python3.13", Unsigned::Interpreter),
            ("python", Unsigned::Interpreter),
            ("node", Unsigned::Interpreter),
            ("perl5.40.1", Unsigned::Interpreter),
            ("perl5.36-x86_64-linux-gnu", Unsigned::Interpreter),
            ("python3.11-dbg", Unsigned::Interpreter),
            ("vim.nox", Unsigned::Interpreter),
            ("luajit-2.1.0-beta3", Unsigned::Interpreter),
            ("mono-sgen", Unsigned::Interpreter),
            ("bash-static", Unsigned::Interpreter),
            ("gdb-multiarch", Unsigned::Debugger),
            ("ruby3.3", Unsigned::Interpreter),
            ("bash", Unsigned::Interpreter),
            ("busybox", Unsigned::ManyPrograms),
            ("gdb", Unsigned::Debugger),
            ("lldb-19", Unsigned::Debugger),
            ("qemu-x86_64-static", Unsigned::Emulator),
        ] {
            assert_eq!(unsigned_whatever_the_file(name), Some(why), "{name}");
        }
        for name in ["claude", "codex", "nodemon", "pythonista", "perlbrew", "gdbus", "bashful", "makeself", "Rust"] {
            assert_eq!(unsigned_whatever_the_file(name), None, "{name}");
        }
    }

    #[test]
    fn the_script_is_what_the_interpreter_would_run() {
        let of = |program: &str, command: &str| {
            let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
            script_of(program, &arguments).map(str::to_owned)
        };
        for (program, command, script) in [
            ("python3.13", "python3 agent.py --fast", Some("agent.py")),
            ("python3.13", "python3 -u -W error -X dev agent.py", Some("agent.py")),
            ("python3.13", "python3 -- agent.py", Some("agent.py")),
            ("python3.13", "python3 -I evil.py agent.py", Some("evil.py")),
            ("python3.13", "python3 -s -E -i agent.py", Some("agent.py")),
            ("perl", "perl -E 1", None),
            ("python3.13", "python3 -m agent", None),
            ("python3.13", "python3 -c pass", None),
            ("python3.13", "python3 -", None),
            ("python3.13", "python3", None),
            ("node", "node --no-warnings --require ./hook.js /usr/lib/agent/cli.js x", Some("/usr/lib/agent/cli.js")),
            ("node", "node --require=./hook.js cli.js", Some("cli.js")),
            ("node", "node -e 1", None),
            ("bun", "bun run agent.ts", Some("agent.ts")),
            ("bash", "bash ./agent.sh", Some("./agent.sh")),
            ("bash", "bash -c lych", None),
            ("agent", "agent agent.py", None),
        ] {
            assert_eq!(of(program, command).as_deref(), script, "{command}");
        }
    }
}
