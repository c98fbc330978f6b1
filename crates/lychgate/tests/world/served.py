"""A file system with one file, served by this program (FUSE), which can stop answering.

usage: served.py DIRECTORY FILE NAME

Mounts it at DIRECTORY: NAME there has the content of FILE. Writes `mounted`. After a line of input nothing is answered
any more. Nothing of an attribute may be kept by the kernel: whoever asks for one asks this program.

Numbers and layouts: linux/fuse.h, protocol 7.31.
"""

import ctypes
import os
import select
import stat
import struct
import sys

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT, OPENDIR, RELEASEDIR, INTERRUPT, BATCH_FORGET = (
    1, 2, 3, 14, 15, 17, 18, 25, 26, 27, 29, 36, 42,
)
ENOENT, ENOSYS = 2, 38
ROOT, ONLY = 1, 2

directory, source, name = sys.argv[1:]
content = open(source, "rb").read()


def attributes(node):
    mode, size = (stat.S_IFDIR | 0o755, 0) if node == ROOT else (stat.S_IFREG | 0o755, len(content))
    return struct.pack("<6Q10I", node, size, (size + 511) // 512, 1, 1, 1, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(opcode, node, body):
    if opcode == INIT:
        _, _, readahead, _ = struct.unpack_from("<4I", body)
        return struct.pack("<4I2H2I2H2I2H20x", 7, 31, readahead, 0, 12, 9, 65536, 1, 16, 0, 0, 0, 0, 0)
    if opcode == LOOKUP:
        if body.rstrip(b"\0").decode() != name:
            return -ENOENT
        return struct.pack("<4Q2I", ONLY, 0, 1000, 0, 0, 0) + attributes(ONLY)
    if opcode == GETATTR:
        return struct.pack("<Q2I", 0, 0, 0) + attributes(node)
    if opcode in (OPEN, OPENDIR):
        return struct.pack("<Q2I", 1, 0, 0)
    if opcode == READ:
        _, offset, size = struct.unpack_from("<2QI", body)
        return content[offset : offset + size]
    if opcode == STATFS:
        return struct.pack("<5Q4I24x", 1, 0, 0, 1, 0, 4096, 255, 4096, 0)
    if opcode in (RELEASE, RELEASEDIR, FLUSH):
        return b""
    return -ENOSYS


def serve(device):
    request = os.read(device, 1024 * 1024)
    _, opcode, unique, node = struct.unpack_from("<2I2Q", request)
    if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
        return
    said = answer(opcode, node, request[40:])
    error, data = (said, b"") if isinstance(said, int) else (0, said)
    os.write(device, struct.pack("<IiQ", 16 + len(data), error, unique) + data)


def main():
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40755,user_id=0,group_id=0,allow_other,default_permissions"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"served", directory.encode(), b"fuse", 0, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    print("mounted", flush=True)
    while True:
        ready, _, _ = select.select([device, sys.stdin], [], [])
        if sys.stdin in ready:
            break
        serve(device)
    sys.stdin.readline()
    # A request that was not even taken can still be killed with whoever waits for it.
    print("stopped", flush=True)
    sys.stdin.read()


main()
