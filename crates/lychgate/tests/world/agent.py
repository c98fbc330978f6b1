"""An agent: starts `lych mcp` on its own standard input and output, and obeys orders that come through a socket.

usage: agent.py DIRECTORY [--shell] [--idle] [--shut-off] -- SHIM...

The socket is DIRECTORY/PID: two agents can have the very same arguments.

Each order is one line of JSON, each answer too:
  {"run": [...], "input": "..."}   a child; answers with status, out, err
  {"orphan": [...], "input": ".."} the same from a double-forked process in a session of its own
  {"start": [...]}                 a child that nobody waits for; answers with its pid
  {"exec": [...]}                  becomes another program; no answer
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys


def run(words, text):
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=60, env={"PATH": "/usr/bin:/bin"})
    return {"status": done.returncode, "out": done.stdout, "err": done.stderr}


def orphan(words, text):
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        middle = os.getpid()
        if os.fork() == 0:
            # Not before the process in the middle is gone.
            while os.getppid() == middle:
                os.sched_yield()
            with os.fdopen(write, "w") as out:
                json.dump(run(words, text), out)
            os._exit(0)
        os._exit(0)
    os.wait()
    os.close(write)
    with os.fdopen(read) as answer:
        return json.load(answer)


def main():
    split = sys.argv.index("--")
    directory, options, shim = sys.argv[1], sys.argv[2:split], sys.argv[split + 1 :]
    if "--idle" in options:
        # After an exec: whoever gives orders still talks to the program before.
        while True:
            signal.pause()
    if "--shut-off" in options:
        # PR_SET_DUMPABLE: as some agents do to themselves.
        assert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.join(directory, str(os.getpid())))
    listener.listen(1)
    if "--shell" in options:
        # `true` keeps the shell from becoming the shim.
        shim = ["/bin/sh", "-c", '"$@"; true', "sh"] + shim
    subprocess.Popen(shim, env={})
    stream = listener.accept()[0].makefile("rw")
    for line in stream:
        order = json.loads(line)
        if "run" in order:
            answer = run(order["run"], order.get("input", ""))
        elif "orphan" in order:
            answer = orphan(order["orphan"], order.get("input", ""))
        elif "start" in order:
            child = subprocess.Popen(order["start"], env={"PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL)
            answer = {"pid": child.pid}
        else:
            os.execv(order["exec"][0], order["exec"])
        stream.write(json.dumps(answer) + "\n")
        stream.flush()


main()
