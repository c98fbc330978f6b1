"""A program of another user that listens where a gateway would.

usage: impostor.py UID GID SOCKET...

Started by root, which gives it its places; it is UID from the moment it listens. Writes `listens`, then for every
connection what came on it until it was closed, as a line of JSON.
"""

import json
import os
import socket
import sys
import threading


def listen(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o666)
    return listener


def serve(listener):
    while True:
        connection, _ = listener.accept()
        heard = b""
        try:
            while piece := connection.recv(65536):
                heard += piece
        except ConnectionError:
            pass
        print(json.dumps({"heard": heard.decode("latin-1")}), flush=True)


def main():
    uid, gid = int(sys.argv[1]), int(sys.argv[2])
    listeners = [listen(path) for path in sys.argv[3:]]
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    for listener in listeners:
        listener.listen(8)
    print(json.dumps("listens"), flush=True)
    for listener in listeners[1:]:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
    serve(listeners[0])


main()
