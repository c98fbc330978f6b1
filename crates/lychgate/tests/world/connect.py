"""Becomes another program whose standard input and output are a connection to a socket.

usage: connect.py [--orphan] SOCKET WORDS...

With --orphan it does so in a double-forked process in a session of its own, and this one ends.
"""

import os
import socket
import sys


def main():
    words = sys.argv[1:]
    if words[0] == "--orphan":
        words = words[1:]
        if os.fork():
            os._exit(0)
        os.setsid()
        middle = os.getpid()
        if os.fork():
            os._exit(0)
        while os.getppid() == middle:
            os.sched_yield()
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(words[0])
    os.dup2(connection.fileno(), 0)
    os.dup2(connection.fileno(), 1)
    os.execvp(words[1], words[1:])


main()
