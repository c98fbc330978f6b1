//! A client of a D-Bus daemon, as small as one can be: one call out, its answer in, over one connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// A method of an object of a service.
pub(crate) struct Method {
    pub(crate) service: &'static str,
    pub(crate) path: &'static str,
    pub(crate) interface: &'static str,
    pub(crate) name: &'static str,
    /// Of its arguments.
    pub(crate) signature: &'static str,
}

/// A connection that has said hello.
pub(crate) struct Client {
    socket: BufReader<UnixStream>,
    serial: u32,
}

/// The bus's own object.
pub(crate) const fn of_bus(name: &'static str) -> Method {
    let (service, path) = ("org.freedesktop.DBus", "/org/freedesktop/DBus");
    Method { service, path, interface: "org.freedesktop.DBus", name, signature: "" }
}

impl Client {
    pub(crate) fn connect(socket: &Path) -> Self {
        let socket = BufReader::new(UnixStream::connect(socket).unwrap());
        let mut client = Self { socket, serial: 0 };
        // EXTERNAL: the name is the number of our user, in the digits of its digits.
        let user: String =
            rustix::process::getuid().as_raw().to_string().bytes().map(|byte| format!("{byte:02x}")).collect();
        client.write(format!("\0AUTH EXTERNAL {user}\r\n").as_bytes());
        let mut line = String::new();
        client.socket.read_line(&mut line).unwrap();
        assert!(line.starts_with("OK "), "{line}");
        client.write(b"BEGIN\r\n");
        client.answer(&Message::new(&of_bus("Hello"), &Body::default())).unwrap();
        client
    }

    /// The body of the answer; an error's is its name and text.
    pub(crate) fn answer(&mut self, message: &Message) -> Result<Vec<u8>, String> {
        self.serial += 1;
        let mut bytes = message.0.clone();
        bytes[SERIAL..SERIAL + 4].copy_from_slice(&self.serial.to_le_bytes());
        self.write(&bytes);
        loop {
            let mut head = [0; 16];
            self.socket.read_exact(&mut head).unwrap();
            assert_eq!(head[0], b'l', "the daemon answers in our order of bytes");
            let mut fields = vec![0; length(&head[12..]).next_multiple_of(8)];
            self.socket.read_exact(&mut fields).unwrap();
            let mut body = vec![0; length(&head[4..])];
            self.socket.read_exact(&mut body).unwrap();
            match head[1] {
                RETURNED => return Ok(body),
                FAILED => return Err(format!("{} {}", fields.escape_ascii(), body.escape_ascii())),
                // A signal, such as the name that we were given.
                _ => {}
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.socket.get_mut().write_all(bytes).unwrap();
    }
}

/// Where a message has its serial number.
const SERIAL: usize = 8;
/// Kinds of messages.
const CALL: u8 = 1;
const RETURNED: u8 = 2;
const FAILED: u8 = 3;

fn length(bytes: &[u8]) -> usize {
    u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize
}

/// A call, but for its serial number.
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn new(method: &Method, body: &Body) -> Self {
        let mut fields = Body::default();
        for (code, kind, value) in
            [(1, "o", method.path), (2, "s", method.interface), (3, "s", method.name), (6, "s", method.service)]
        {
            fields = fields.pad(8).byte(code).signature(kind).text(value);
        }
        if !method.signature.is_empty() {
            fields = fields.pad(8).byte(8).signature("g").signature(method.signature);
        }
        let mut whole = Body(vec![b'l', CALL, 0, 1]).number(u32::try_from(body.0.len()).unwrap()).number(0);
        whole = whole.number(u32::try_from(fields.0.len()).unwrap());
        whole.0.extend(fields.0);
        whole = whole.pad(8);
        whole.0.extend(&body.0);
        Self(whole.0)
    }
}

/// Values one after the other, each at its place.
#[derive(Default)]
pub(crate) struct Body(Vec<u8>);

impl Body {
    pub(crate) fn pad(mut self, to: usize) -> Self {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
        self
    }

    pub(crate) fn byte(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }

    pub(crate) fn number(mut self, number: u32) -> Self {
        self = self.pad(4);
        self.0.extend(number.to_le_bytes());
        self
    }

    pub(crate) fn long(mut self, number: u64) -> Self {
        self = self.pad(8);
        self.0.extend(number.to_le_bytes());
        self
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        self = self.number(u32::try_from(text.len()).unwrap());
        self.0.extend(text.as_bytes());
        self.byte(0)
    }

    /// Of a value, before the value.
    pub(crate) fn signature(mut self, signature: &str) -> Self {
        self = self.byte(u8::try_from(signature.len()).unwrap());
        self.0.extend(signature.as_bytes());
        self.byte(0)
    }

    /// An array of what begins at multiples of eight. Its length does not count what pads before the first.
    pub(crate) fn array(mut self, elements: impl FnOnce(Self) -> Self) -> Self {
        self = self.number(0);
        let length_at = self.0.len() - 4;
        self = self.pad(8);
        let begin = self.0.len();
        self = elements(self);
        let length = u32::try_from(self.0.len() - begin).unwrap();
        self.0[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
        self
    }
}
