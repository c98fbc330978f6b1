"""Many processes that each become a run by themselves, and end at once.

usage: crowd.py SOCKET COUNT

Writes `registered N` once all are registered or were refused in words; N is how many have a run. Ends them all with the
next line of its input, writes `gone`, and goes on so: each line of input makes a new crowd, or ends the one that is
there.
"""

import json
import os
import signal
import socket
import struct
import sys
import time

HELLO = {"type": "hello", "wire": 1, "shim": False, "build": "crowd"}
REGISTER = {"type": "register", "conversation": None, "previous": None}


def send(connection, message):
    data = json.dumps(message).encode()
    connection.sendall(struct.pack("<I", len(data)) + data)


def receive(stream):
    length = stream.read(4)
    if len(length) < 4:
        return {"type": "closed"}
    return json.loads(stream.read(struct.unpack("<I", length)[0]))


def once():
    """What the gateway said last, and the connection."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    stream = connection.makefile("rb")
    try:
        send(connection, HELLO)
        answer = receive(stream)
        if answer["type"] == "pinned":
            send(connection, REGISTER)
            answer = receive(stream)
    except ConnectionError:
        # It was told before it spoke.
        answer = receive(stream)
    return answer, connection


def member(told, patient):
    answer, connection = once()
    while patient and answer["type"] == "refused" and answer["answer"]["reason"] == "too_many":
        connection.close()
        time.sleep(0.05)
        answer, connection = once()
    word = {"registered": b"r", "refused": b"w"}.get(answer["type"], b"?")
    if answer["type"] == "refused" and not (answer["answer"]["changed"] and answer["answer"]["next"]):
        word = b"?"
    os.write(told, word)
    signal.pause()


def main():
    for _ in sys.stdin:
        read, told = os.pipe()
        members = []
        for _ in range(int(sys.argv[2])):
            pid = os.fork()
            if pid == 0:
                member(told, "--patient" in sys.argv)
            members.append(pid)
        words = b""
        while len(words) < len(members):
            words += os.read(read, 1024)
        print("registered", words.count(b"r"), "refused", words.count(b"w"), flush=True)
        sys.stdin.readline()
        for pid in members:
            os.kill(pid, signal.SIGKILL)
        for pid in members:
            os.waitpid(pid, 0)
        print("gone", flush=True)


main()
