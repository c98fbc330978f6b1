"""A client that speaks the wire protocol itself, and misuses its connection when told to.

usage: raw.py SOCKET

Orders come as lines of JSON on standard input, each is answered by one line: a frame of the gateway, or what went wrong.
  {"do": "register", "conversation": null, "previous": null}
  {"do": "early", "operator": false, "frames": [...]}
      connects and writes all frames at once, whatever the gateway says; it reads nothing
  {"do": "operator", "command": {...}, "factor": null}
      one command on the operators' socket beside the agents'; a connection of its own
  {"do": "call", "call": {...}, "by": "self" | "fork" | "orphan" | "passed"}
      who writes the frame: this process, a forked child that inherited the connection, a double-forked orphan in a
      session of its own, or a process to which the connection was passed (SCM_RIGHTS)
  {"do": "begin", "call": {...}}
      writes a call and reads nothing
  {"do": "cancel"}   takes that call back, and reads what the gateway says to it
  {"do": "flood", "count": N, "operator": false, "silent": false}
      opens N connections, says hello on each (or nothing), and reads nothing
  {"do": "begin_large", "count": N, "length": L}
      registers N connections, and begins a frame of L bytes on each, one after the other; gives the number of those that
      are still open
  {"do": "heard"}    what those connections have heard by now
  {"do": "forge", "pid": N}
      connects, and says hello as the process N of its own pid namespace (SCM_CREDENTIALS)
  {"do": "shut_off"} makes itself non-dumpable
  {"do": "exec"}     becomes the same program anew, with the connection kept open; the new one answers
  {"do": "read"}     the next frame
"""

import base64
import ctypes
import json
import os
import select
import socket
import struct
import sys

LAST = {"id": 0}
HELLO = {"type": "hello", "wire": 1, "shim": False, "build": "raw"}
HELLO_OPERATOR = {"type": "hello", "wire": 1, "build": "raw"}


def framed(message):
    data = json.dumps(message).encode()
    return struct.pack("<I", len(data)) + data


def send(connection, message):
    connection.sendall(framed(message))


def exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def receive(connection):
    (length,) = struct.unpack("<I", exactly(connection, 4))
    return json.loads(exactly(connection, length))


def answer_to(connection, number):
    """The answer to a call, or whatever ends the connection before it."""
    while True:
        try:
            message = receive(connection)
        except (EOFError, ConnectionError):
            return {"type": "closed"}
        if message["type"] in ("progress", "notice"):
            continue
        return message


def register(connection, conversation, previous):
    try:
        send(connection, HELLO)
        message = receive(connection)
        if message["type"] != "pinned":
            return message
        send(connection, {"type": "register", "conversation": conversation, "previous": previous})
        return receive(connection)
    except (EOFError, ConnectionError):
        return {"type": "closed"}


def connect(operator=False):
    connection = socket.socket(socket.AF_UNIX)
    path = os.path.join(os.path.dirname(sys.argv[1]), "operator.sock") if operator else sys.argv[1]
    connection.connect(path)
    return connection


def forged(connection, pid):
    credentials = struct.pack("iII", pid, os.getuid(), os.getgid())
    told = [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, credentials)]
    try:
        connection.sendmsg([framed(HELLO)], told)
    except PermissionError:
        return {"type": "not_permitted"}
    return answer_to(connection, None)


def operate(command, factor):
    connection = connect(operator=True)
    try:
        send(connection, HELLO_OPERATOR)
        message = receive(connection)
        if message["type"] != "pinned":
            return message
        send(connection, {"type": "do", "id": 1, "factor": factor, "command": command})
        return receive(connection)
    except (EOFError, ConnectionError):
        return {"type": "closed"}


class Flood:
    """Connections that said hello, and the first frame that each of them has heard."""

    def __init__(self, count, operator, silent):
        self.heard = []
        self.waiting = []
        for _ in range(count):
            connection = connect(operator)
            self.waiting.append(connection)
            if silent:
                continue
            try:
                send(connection, HELLO_OPERATOR if operator else HELLO)
            except ConnectionError:
                # It was let go before it spoke; what it was told can still be read.
                pass

    def look(self, seconds):
        ready, _, _ = select.select(self.waiting, [], [], seconds)
        for connection in ready:
            self.heard.append((connection, answer_to(connection, None)))
            self.waiting.remove(connection)
        return bool(ready)

    def told(self):
        while self.look(0):
            pass
        refused = [message for _, message in self.heard if message["type"] == "refused"]
        answers = [message["answer"] for message in refused]
        count = lambda kind: sum(message["type"] == kind for _, message in self.heard)
        return {
            "waiting": len(self.waiting),
            "pinned": count("pinned"),
            "closed": count("closed"),
            "refused": len(refused),
            "reasons": sorted({answer["reason"] for answer in answers}),
            "in_words": all(answer["changed"] and answer["next"] for answer in answers),
        }


def begun(length):
    connection = connect()
    assert register(connection, None, None)["type"] == "registered"
    connection.sendall(struct.pack("<I", length) + b"{" * 1024)
    return connection


def is_open(connection):
    """False once the gateway has closed it, which it does at once or not at all."""
    connection.settimeout(0.2)
    try:
        return answer_to(connection, None)["type"] not in ("closed", "run_ended")
    except TimeoutError:
        return True


def written_by_child(frame, connection):
    if os.fork() == 0:
        send(connection, frame)
        os._exit(0)
    os.wait()


def written_by_orphan(frame, connection):
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        middle = os.getpid()
        if os.fork() == 0:
            while os.getppid() == middle:
                os.sched_yield()
            send(connection, frame)
            os.write(write, b"x")
        os._exit(0)
    os.wait()
    os.close(write)
    os.read(read, 1)
    os.close(read)


def written_by_stranger(frame, connection, helper):
    helper.sendall(b"F" + base64.b64encode(json.dumps(frame).encode()) + b"\n")
    socket.send_fds(helper, [b"!"], [connection.fileno()])
    helper.recv(1)


def stranger(ours):
    """Forked before there was any connection; it writes what it is given to the descriptor that it is passed."""
    text = b""
    while not text.endswith(b"\n"):
        piece = ours.recv(1)
        if not piece:
            return
        text += piece
    frame = json.loads(base64.b64decode(text[1:]))
    _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
    send(socket.socket(fileno=descriptors[0]), frame)
    ours.sendall(b"x")


def main():
    helper, ours = socket.socketpair()
    if os.fork() == 0:
        helper.close()
        stranger(ours)
        os._exit(0)
    ours.close()
    connection = None
    if "CONNECTION" in os.environ:
        connection = socket.socket(fileno=int(os.environ["CONNECTION"]))
        print(json.dumps({"type": "adopted"}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "register":
            connection = connect()
            answer = register(connection, order.get("conversation"), order.get("previous"))
        elif order["do"] == "early":
            connection = connect(order.get("operator", False))
            try:
                connection.sendall(b"".join(framed(frame) for frame in order["frames"]))
                answer = {"type": "written"}
            except ConnectionError:
                answer = {"type": "closed"}
        elif order["do"] == "begin":
            LAST["id"] += 1
            send(connection, {"type": "call", "id": LAST["id"], "conversation": None, "call": order["call"]})
            answer = {"type": "written"}
        elif order["do"] == "cancel":
            send(connection, {"type": "cancel", "id": LAST["id"]})
            answer = answer_to(connection, LAST["id"])
        elif order["do"] == "flood":
            flood = Flood(order["count"], order.get("operator", False), order.get("silent", False))
            answer = {"type": "written"}
        elif order["do"] == "begin_large":
            large = [begun(order["length"]) for _ in range(order["count"])]
            answer = {"type": "written", "open": sum(is_open(connection) for connection in large)}
        elif order["do"] == "heard":
            answer = flood.told()
        elif order["do"] == "forge":
            connection = connect()
            answer = forged(connection, order["pid"])
        elif order["do"] == "shut_off":
            assert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0
            answer = {"type": "done"}
        elif order["do"] == "operator":
            answer = operate(order["command"], order.get("factor"))
        elif order["do"] == "exec":
            connection.set_inheritable(True)
            environment = {"CONNECTION": str(connection.fileno())}
            os.execve(sys.executable, [sys.executable] + sys.argv, environment)
        elif order["do"] == "read":
            answer = answer_to(connection, None)
        else:
            LAST["id"] += 1
            frame = {"type": "call", "id": LAST["id"], "conversation": None, "call": order["call"]}
            by = order.get("by", "self")
            try:
                if by == "self":
                    send(connection, frame)
                elif by == "fork":
                    written_by_child(frame, connection)
                elif by == "orphan":
                    written_by_orphan(frame, connection)
                else:
                    written_by_stranger(frame, connection, helper)
                answer = answer_to(connection, LAST["id"])
            except ConnectionError:
                answer = {"type": "closed"}
        print(json.dumps(answer), flush=True)


main()
