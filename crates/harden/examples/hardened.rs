//! Gives up what the role of its argument gives up, and then does what code that took the process over would try. One line
//! each: what, and `ok` or the error's number.
#![allow(unsafe_code, reason = "most of these calls exist in no safe library, for good reason")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helper dies loudly where it must not go on")]

use lychgate_harden::{Role, harden};
use std::io::{Error, Result};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

fn main() {
    let role = match std::env::args().nth(1).as_deref() {
        Some("gateway") => Role::Gateway,
        Some("person") => Role::Person,
        _ => return,
    };
    let own = format!("/tmp/lychgate-hardened-{}", std::process::id());
    // A thread that is there before.
    let (go, gone) = std::sync::mpsc::channel::<()>();
    let early = std::thread::spawn(move || {
        gone.recv().unwrap();
        said(Command::new("/usr/bin/true").status().map(drop))
    });
    harden(role).unwrap();

    let say = |what: &str, result: Result<()>| println!("{what} {}", said(result));
    say("thread", std::thread::Builder::new().spawn(|| ()).map(|thread| thread.join().unwrap()));
    say("read", std::fs::read("/etc/hostname").map(drop));
    say("null", std::fs::File::options().write(true).open("/dev/null").map(drop));
    say("lock_memory", lychgate_sys::LockedBytes::copy_of(b"x").map(drop));
    say("tcp", std::net::TcpStream::connect("127.0.0.1:9").map(drop));
    say("unix", std::os::unix::net::UnixStream::connect("/nowhere").map(drop));
    say("look", std::fs::read_link(format!("/proc/{}/exe", std::os::unix::process::parent_id())).map(drop));
    say("create", std::fs::File::create(&own).map(drop));
    let _ = std::fs::remove_file(&own);
    say("exec", Err(Command::new("/usr/bin/true").exec()));
    say("spawn", Command::new("/usr/bin/true").status().map(drop));
    say("dumpable", lychgate_sys::set_dumpable(true));
    say("writable_code", writable_code());
    // SAFETY: the pointer is to a byte that outlives the call.
    say("type_for_others", called(unsafe { libc::ioctl(0, libc::TIOCSTI, b"x".as_ptr()) }));
    // SAFETY: no memory is handed over; signal 0 only asks.
    say("signal", called(unsafe { libc::kill(libc::getppid(), 0) }));
    for (name, number) in CALLS {
        // SAFETY: with these arguments each of them does nothing, or fails, where the kernel lets it through.
        say(name, called(unsafe { libc::syscall(*number, -1, 0, 0, 0, 0, 0) } as i32));
    }
    let limits = |which| std::fs::read_to_string("/proc/self/status").unwrap().contains(which);
    println!("no_new_privs {}", limits("NoNewPrivs:\t1"));
    println!("core {:?}", rustix::process::getrlimit(rustix::process::Resource::Core).maximum);
    go.send(()).unwrap();
    println!("early_thread_spawn {}", early.join().unwrap());
}

#[rustfmt::skip]
const CALLS: &[(&str, libc::c_long)] = &[
    ("execveat", libc::SYS_execveat), ("ptrace", libc::SYS_ptrace), ("process_vm_readv", libc::SYS_process_vm_readv),
    ("process_vm_writev", libc::SYS_process_vm_writev), ("pidfd_getfd", libc::SYS_pidfd_getfd), ("unshare", libc::SYS_unshare),
    ("setns", libc::SYS_setns), ("clone3", libc::SYS_clone3), ("mount", libc::SYS_mount), ("io_uring_setup", libc::SYS_io_uring_setup),
    ("bpf", libc::SYS_bpf), ("perf_event_open", libc::SYS_perf_event_open), ("userfaultfd", libc::SYS_userfaultfd),
    ("keyctl", libc::SYS_keyctl), ("setuid", libc::SYS_setuid), ("memfd_create", libc::SYS_memfd_create), ("seccomp", libc::SYS_seccomp),
    ("personality", libc::SYS_personality), ("chroot", libc::SYS_chroot), ("kill", libc::SYS_kill),
];

fn writable_code() -> Result<()> {
    let both = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let mapped =
        unsafe { libc::mmap(std::ptr::null_mut(), 4096, both, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0) };
    if mapped == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(()) }
}

fn called(result: i32) -> Result<()> {
    if result < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

fn said(result: Result<()>) -> String {
    result.map_or_else(|error| error.raw_os_error().unwrap_or(-1).to_string(), |()| "ok".to_owned())
}
