//! An attacker with what safe code can't do. `hider serve SOCKET` connects, says `hello`, and obeys lines:
//!
//! * `hide` becomes another program while a helper that shares its memory keeps the old one in use: it starts the helper
//!   and executes its own program anew with the same arguments, which then writes `said` on the socket that it inherited.
//!   Under `setarch -R` every address is the same again;
//! * `thread` writes `said` from another thread, and `leave` from another thread after the first one has ended;
//! * `lock` keeps its own memory map locked most of the time, by an idle thread that never gets to give it up;
//! * `rename` takes another name for itself, in its command line's place too, and then writes `said`.
#![allow(unsafe_code, reason = "the attack shares memory between processes, which nothing safe can")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper dies loudly where it must not go on")]

use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Where the second life finds its socket: the first one puts it there.
const INHERITED: i32 = 77;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    // SAFETY: asks whether the number is an open descriptor; touches no memory.
    let second_life = unsafe { libc::fcntl(INHERITED, libc::F_GETFD) } >= 0;
    let mut socket = if second_life {
        // SAFETY: the first life left the socket there for us, and nobody else uses it.
        unsafe { UnixStream::from_raw_fd(INHERITED) }
    } else {
        UnixStream::connect(&arguments[2]).unwrap()
    };
    socket.write_all(if second_life { b"said\n" } else { b"hello\n" }).unwrap();
    let mut lines = BufReader::with_capacity(1, socket.try_clone().unwrap()).lines();
    while let Some(Ok(line)) = lines.next() {
        match line.as_str() {
            "say" => socket.write_all(b"said\n").unwrap(),
            "hide" => hide(&socket, &arguments),
            "thread" => {
                let mut socket = socket.try_clone().unwrap();
                std::thread::spawn(move || socket.write_all(b"said\n").unwrap()).join().unwrap();
            }
            "lock" => {
                lock();
                socket.write_all(b"said\n").unwrap();
            }
            "leave" => leave(socket.try_clone().unwrap()),
            "rename" => {
                // SAFETY: the name is a string that ends with a zero byte; the kernel only reads it.
                assert_eq!(unsafe { libc::prctl(libc::PR_SET_NAME, c"sshd".as_ptr()) }, 0);
                socket.write_all(b"said\n").unwrap();
            }
            _ => {}
        }
    }
}

fn hide(socket: &UnixStream, arguments: &[String]) {
    let stack = Box::leak(vec![0_u8; 64 * 1024].into_boxed_slice());
    // SAFETY: the helper runs `wait_for_ever` on a stack of its own that is never freed, and touches nothing else.
    let helper = unsafe {
        let top = stack.as_mut_ptr().add(stack.len()).cast();
        libc::clone(wait_for_ever, top, libc::CLONE_VM, std::ptr::null_mut())
    };
    assert!(helper > 0);
    // SAFETY: duplicates a descriptor onto a number that nobody uses.
    assert_eq!(unsafe { libc::dup2(socket.as_raw_fd(), INHERITED) }, INHERITED);
    let failed = Command::new(&arguments[0]).args(&arguments[1..]).exec();
    unreachable!("{failed}");
}

/// More pages than can be changed in a moment, at the lowest address: who asks for the first mapping meets them.
const LOCKED_BYTES: usize = 4 << 30;

fn lock() {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let both = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping that replaces none; nothing of the program lies there.
    let memory = unsafe { libc::mmap(0x10000 as *mut libc::c_void, LOCKED_BYTES, both, flags, -1, 0) };
    assert_eq!(memory as usize, 0x10000);
    // SAFETY: concerns that mapping alone.
    assert_eq!(unsafe { libc::madvise(memory, LOCKED_BYTES, libc::MADV_NOHUGEPAGE) }, 0);
    for at in (0..LOCKED_BYTES).step_by(4096) {
        // SAFETY: within the mapping. All read the same page of zeros, so this costs no memory.
        let _ = unsafe { memory.cast::<u8>().add(at).read_volatile() };
    }
    for _ in 0..2 * std::thread::available_parallelism().unwrap().get() {
        std::thread::spawn(|| {
            loop {
                std::hint::spin_loop();
            }
        });
    }
    let address = memory as usize;
    std::thread::spawn(move || {
        // SAFETY: an all-zero sched_param is a valid one, and concerns this thread.
        unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &std::mem::zeroed()) };
        for turn in 0.. {
            let protection = if turn % 2 == 0 { libc::PROT_READ } else { both };
            // SAFETY: nobody reads or writes that mapping any more.
            unsafe { libc::mprotect(address as *mut libc::c_void, LOCKED_BYTES, protection) };
        }
    });
}

/// Ends the first thread alone; another one goes on until the socket closes.
fn leave(mut socket: UnixStream) {
    let gone = std::process::id();
    std::thread::spawn(move || {
        // The state of a first thread that ended is Z, while the process lives on.
        while !std::fs::read_to_string(format!("/proc/{gone}/stat")).unwrap().contains(") Z ") {
            std::thread::yield_now();
        }
        socket.write_all(b"said\n").unwrap();
        let mut rest = String::new();
        let _ = BufReader::new(socket).read_line(&mut rest);
        std::process::exit(0);
    });
    // SAFETY: ends this thread and frees nothing that the other one uses.
    unsafe { libc::syscall(libc::SYS_exit, 0) };
}

extern "C" fn wait_for_ever(_: *mut libc::c_void) -> libc::c_int {
    // SAFETY: takes no pointer. Ends with the parent, which the test kills.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::alarm(60);
        loop {
            libc::pause();
        }
    }
}
