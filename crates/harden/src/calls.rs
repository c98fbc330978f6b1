//! seccomp: which system calls are left. Whatever is not named here does not exist for the process (`ENOSYS`), so that
//! libraries which try a newer call first go on with the older one.

use crate::Role;
use libc::{c_long, c_ulong};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter_all_threads,
};
use std::collections::BTreeMap;
use std::io;

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

/// For all threads, those that are to come included.
pub(crate) fn allow_only(role: Role) -> io::Result<()> {
    let program = program(role).map_err(io::Error::other)?;
    apply_filter_all_threads(&program).map_err(io::Error::other)
}

fn program(role: Role) -> Result<BpfProgram, BackendError> {
    let mut rules: Rules = ANY_ARGUMENTS.iter().map(|call| (*call, Vec::new())).collect();
    rules.extend(conditional(role)?);
    let missing = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    SeccompFilter::new(rules, missing, SeccompAction::Allow, TargetArch::try_from(std::env::consts::ARCH)?)?.try_into()
}

/// Calls that are harmless with some arguments only.
fn conditional(role: Role) -> Result<Rules, BackendError> {
    let families: &[i32] = match role {
        // Netlink: the kernel's reports of executions, and the C library's list of addresses.
        Role::Gateway => &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        // Netlink as above.
        Role::Attestor => &[libc::AF_UNIX, libc::AF_NETLINK],
        Role::Person | Role::Offline => &[libc::AF_UNIX],
    };
    let mut rules = Rules::new();
    rules.insert(libc::SYS_socket, one_of(0, families.iter().map(|family| u64::from(family.unsigned_abs())))?);
    // Threads, no processes. clone3 keeps its flags where no filter can read them: without it the C library uses clone.
    let thread = c_ulong::from(libc::CLONE_THREAD.unsigned_abs());
    rules.insert(libc::SYS_clone, vec![rule(0, Op::MaskedEq(thread), thread)?]);
    // Names of threads and of memory. Nothing that gives up what `harden` did.
    let named = [libc::PR_SET_NAME, libc::PR_SET_VMA];
    rules.insert(libc::SYS_prctl, one_of(0, named.iter().map(|what| u64::from(what.unsigned_abs())))?);
    // Limits are read, not changed.
    rules.insert(libc::SYS_prlimit64, vec![rule(2, Op::Eq, 0)?]);
    // Is it alive? Signals to others are refused.
    rules.insert(libc::SYS_pidfd_send_signal, vec![rule(1, Op::Eq, 0)?]);
    rules.insert(libc::SYS_ioctl, one_of(1, IOCTLS.iter().copied())?);
    Ok(rules)
}

/// Terminals as far as prompts need them; never `TIOCSTI`, which types for the person.
const IOCTLS: &[u64] = &[
    libc::TCGETS,
    libc::TCSETS,
    libc::TCSETSW,
    libc::TCSETSF,
    // The same in their newer form, which rustix uses where the C library does not.
    libc::TCGETS2,
    libc::TCSETS2,
    libc::TCSETSW2,
    libc::TCSETSF2,
    // What was typed before a question does not answer it.
    libc::TCFLSH,
    libc::TIOCGWINSZ,
    libc::TIOCGPGRP,
    libc::FIONBIO,
    libc::FIONREAD,
    lychgate_sys::PROCMAP_QUERY,
];

/// The argument (counted from 0) is one of these, in its lower half: the kernel reads no more of it.
fn one_of(argument: u8, values: impl Iterator<Item = u64>) -> Result<Vec<SeccompRule>, BackendError> {
    let one = |value| {
        let condition = SeccompCondition::new(argument, Len::Dword, Op::Eq, value)?;
        SeccompRule::new(vec![condition])
    };
    values.map(one).collect()
}

fn rule(argument: u8, operator: Op, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, Len::Qword, operator, value)?])
}

/// What the program, the Rust and C libraries, name services and tokio use. Left out, among much else: execute, fork,
/// trace, other processes' memory and descriptors, namespaces, mounts, io_uring, bpf, keys, identities.
#[rustfmt::skip]
const ANY_ARGUMENTS: &[c_long] = &[
    // memory
    libc::SYS_brk, libc::SYS_mmap, libc::SYS_munmap, libc::SYS_mremap, libc::SYS_mprotect, libc::SYS_madvise, libc::SYS_mlock,
    libc::SYS_mlock2, libc::SYS_munlock, libc::SYS_membarrier,
    // threads, time, signals
    libc::SYS_futex, libc::SYS_set_robust_list, libc::SYS_get_robust_list, libc::SYS_rseq, libc::SYS_set_tid_address,
    libc::SYS_sched_yield, libc::SYS_sched_getaffinity, libc::SYS_getcpu, libc::SYS_exit, libc::SYS_exit_group,
    libc::SYS_restart_syscall, libc::SYS_nanosleep, libc::SYS_clock_nanosleep, libc::SYS_clock_gettime, libc::SYS_clock_getres,
    libc::SYS_gettimeofday, libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack, libc::SYS_tgkill,
    // itself and its machine
    libc::SYS_getpid, libc::SYS_gettid, libc::SYS_getppid, libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid,
    libc::SYS_getegid, libc::SYS_getgroups, libc::SYS_getpgid, libc::SYS_getsid, libc::SYS_uname, libc::SYS_sysinfo,
    libc::SYS_getrandom, libc::SYS_umask, libc::SYS_getrusage,
    // files
    libc::SYS_read, libc::SYS_readv, libc::SYS_pread64, libc::SYS_preadv, libc::SYS_write, libc::SYS_writev,
    libc::SYS_pwrite64, libc::SYS_pwritev, libc::SYS_lseek, libc::SYS_close, libc::SYS_close_range, libc::SYS_openat,
    libc::SYS_openat2, libc::SYS_fstat, libc::SYS_newfstatat, libc::SYS_statx, libc::SYS_fstatfs, libc::SYS_statfs,
    libc::SYS_readlinkat, libc::SYS_getdents64, libc::SYS_getcwd, libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_fcntl,
    libc::SYS_flock, libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_sync_file_range, libc::SYS_ftruncate, libc::SYS_fallocate,
    libc::SYS_fadvise64, libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_mkdirat, libc::SYS_unlinkat, libc::SYS_renameat, libc::SYS_renameat2,
    libc::SYS_linkat, libc::SYS_copy_file_range, libc::SYS_sendfile, libc::SYS_dup, libc::SYS_dup3, libc::SYS_pipe2,
    // sockets
    libc::SYS_socketpair, libc::SYS_bind, libc::SYS_listen, libc::SYS_accept, libc::SYS_accept4, libc::SYS_connect,
    libc::SYS_shutdown, libc::SYS_getsockname, libc::SYS_getpeername, libc::SYS_getsockopt, libc::SYS_setsockopt,
    libc::SYS_sendto, libc::SYS_recvfrom, libc::SYS_sendmsg, libc::SYS_recvmsg, libc::SYS_sendmmsg, libc::SYS_recvmmsg,
    // waiting
    libc::SYS_epoll_create1, libc::SYS_epoll_ctl, libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2, libc::SYS_eventfd2,
    libc::SYS_timerfd_create, libc::SYS_timerfd_settime, libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch, libc::SYS_inotify_rm_watch,
    // other processes, by what the kernel hands out for it
    libc::SYS_pidfd_open,
    // their older forms, which newer machines do not have
    #[cfg(target_arch = "x86_64")] libc::SYS_open,
    #[cfg(target_arch = "x86_64")] libc::SYS_stat,
    #[cfg(target_arch = "x86_64")] libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")] libc::SYS_access,
    #[cfg(target_arch = "x86_64")] libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")] libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")] libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")] libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")] libc::SYS_rename,
    #[cfg(target_arch = "x86_64")] libc::SYS_link,
    #[cfg(target_arch = "x86_64")] libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")] libc::SYS_dup2,
    #[cfg(target_arch = "x86_64")] libc::SYS_pipe,
    #[cfg(target_arch = "x86_64")] libc::SYS_poll,
    #[cfg(target_arch = "x86_64")] libc::SYS_select,
    #[cfg(target_arch = "x86_64")] libc::SYS_epoll_wait,
    #[cfg(target_arch = "x86_64")] libc::SYS_time,
    #[cfg(target_arch = "x86_64")] libc::SYS_getpgrp,
    #[cfg(target_arch = "x86_64")] libc::SYS_arch_prctl,
];
