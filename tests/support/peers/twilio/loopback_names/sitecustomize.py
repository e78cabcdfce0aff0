"""Names of all hosts lead to the loopback, and are written to stderr. Python loads it before a program."""

import socket
import sys

_getaddrinfo = socket.getaddrinfo


def _loopback(host, *args, **kwargs):
    print(f"host {host}", file=sys.stderr)
    return _getaddrinfo("127.0.0.1", *args, **kwargs)


socket.getaddrinfo = _loopback
