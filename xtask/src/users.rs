//! The ordinary users that gateway, agents and consoles run as in tests. Nothing of the product ever runs as root.

use crate::Failure;
use crate::report::run;
use crate::tools::is_root;
use std::fs;
use std::process::Command;

/// The first owns the gateway in tests; the second is somebody else on the same machine.
const NAMES: [&str; 2] = ["lychtest1", "lychtest2"];

/// Makes the users where they are missing; their names.
pub(crate) fn prepare() -> Result<Vec<String>, Failure> {
    let known = fs::read_to_string("/etc/passwd").map_err(|error| format!("/etc/passwd: {error}"))?;
    for name in NAMES {
        if has_user(&known, name) {
            println!("{name} exists");
            continue;
        }
        if !is_root()? {
            return Err(format!("the user {name} is missing, and only root can make it: run this as root once"));
        }
        run(Command::new("useradd").args(["--create-home", "--shell", "/bin/sh", name]))?;
    }
    if !is_root()? {
        // Tests start programs as these users; only root can become somebody else.
        return Err("the tests run programs as other users: run this as root, in a container or a virtual machine \
                    if you like"
            .to_owned());
    }
    Ok(NAMES.map(str::to_owned).to_vec())
}

fn has_user(passwd: &str, name: &str) -> bool {
    passwd.lines().any(|line| line.split(':').next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_known_by_its_whole_name_only() {
        let passwd = "root:x:0:0::/root:/bin/sh\nlychtest10:x:1000:1000::/home/lychtest10:/bin/sh\n";
        assert!(has_user(passwd, "root"));
        assert!(has_user(passwd, "lychtest10"));
        assert!(!has_user(passwd, "lychtest1"));
    }
}
