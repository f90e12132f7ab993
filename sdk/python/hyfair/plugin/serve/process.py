"""The process around a plugin: the handshake with the host, the common services
that every host expects, and the end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from concurrent import futures
from typing import Iterator, NoReturn, Optional, Sequence, Tuple

import grpc

from . import apart, handshake
from .services import on_end

CORE_VERSION = 1
PROTOCOL_VERSION = 1
"""Changes within a version are additions. A host with another version reports it."""

MAX_SESSIONS = 1024
"""The largest number of calls at once; each takes a thread, and a session is a call."""

MAX_SOCKET_PATH = 100
POLL = 0.25
"""Seconds between two checks of the parent."""


def run(kind: str, service: grpc.GenericRpcHandler) -> None:
    """Serves until the host has ended; does not return."""
    if handshake.descriptor is None:
        raise SystemExit(
            f"{sys.argv[0]} is a {kind} plugin of hyfair and is started by hyfair, not by hand: "
            "put its folder into a plugin folder and run `hyfair plugins` to see it.")
    # The host handles Ctrl-C: it ends its plugins.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)  # exact numbers may be long; their text is bounded elsewhere

    life = Life()
    server = _server(MAX_SESSIONS, service, *_common(life))
    network, address = _listen(server, life)
    server.start()
    line = f"{CORE_VERSION}|{PROTOCOL_VERSION}|{network}|{address}|grpc\n"
    try:
        with os.fdopen(handshake.descriptor, "w") as f:
            f.write(line)
    except OSError:
        life.end()  # the host did not wait
    while os.getppid() == handshake.parent:
        time.sleep(POLL)
    life.end()


def _server(threads: int, *services: grpc.GenericRpcHandler) -> grpc.Server:
    """A server of these services and of health, which answers a ping. Messages have any size."""
    def health(_: bytes, context: grpc.ServicerContext) -> bytes:
        return b"\x08\x01"  # status: SERVING

    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=threads),
        options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)])
    check = {"Check": grpc.unary_unary_rpc_method_handler(health)}
    server.add_generic_rpc_handlers((*services, grpc.method_handlers_generic_handler("grpc.health.v1.Health", check)))
    return server


def _listen(server: grpc.Server, life: Life) -> Tuple[str, str]:
    """Listens on a Unix socket in a folder that only this user can read; without such
    sockets, on a port."""
    if not hasattr(socket, "AF_UNIX"):
        port = server.add_insecure_port("127.0.0.1:0")
        return "tcp", f"127.0.0.1:{port}"
    life.folder = tempfile.mkdtemp(prefix="py", dir=os.environ.get("PLUGIN_UNIX_SOCKET_DIR") or None)
    path = os.path.join(life.folder, "s")
    if len(path) > MAX_SOCKET_PATH:
        life.remove()
        raise SystemExit(f"the socket's path {path} is longer than systems allow: set TMPDIR to a shorter folder")
    server.add_insecure_port("unix:" + path)
    return "unix", path


class Life:
    """Ends the process once, whichever thread first notices that the host has ended."""

    def __init__(self) -> None:
        self.folder: Optional[str] = None
        self._once = threading.Lock()

    def remove(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def end(self) -> NoReturn:
        self._once.acquire()  # a second caller waits for the end
        apart.end()
        self.remove()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
        os._exit(0)  # whatever other threads are doing


def _common(life: Life) -> Sequence[grpc.GenericRpcHandler]:
    """The services that end the plugin. Shutdown does at once. The host keeps the output
    stream open as long as its connection, so the end of that call is the end of the
    host. All messages are empty, or nearly."""

    def shutdown(_: bytes, context: grpc.ServicerContext) -> bytes:
        threading.Timer(0.01, life.end).start()  # after the answer
        return b""

    # A unary handler is not called if the host ends before its request was read, so this
    # handler takes a stream of requests.
    def output(_: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        gone = threading.Event()
        on_end(context, gone.set)
        gone.wait()
        threading.Thread(target=life.end).start()
        return iter(())

    return (
        grpc.method_handlers_generic_handler(
            "plugin.GRPCController", {"Shutdown": grpc.unary_unary_rpc_method_handler(shutdown)}),
        grpc.method_handlers_generic_handler(
            "plugin.GRPCStdio", {"StreamStdio": grpc.stream_stream_rpc_method_handler(output)}),
    )
