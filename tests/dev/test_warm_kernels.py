"""Tests of nbs/dev/02_warm_kernels.ipynb, extracted from its test cells: edit them there."""
import json
import pytest
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from unittest import mock
from unittest.mock import patch

from reject_nb.dev.warm_kernels import ASK, serve, warm_kernels

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there are no copies elsewhere")

def _ports(folder): # (address, port), once the kernel has written them
    file = Path(folder)/"connection.json"
    for _ in range(600):
        try: found = json.loads(file.read_text())
        except (OSError, ValueError): time.sleep(.1)
        else: return found["ip"], found["shell_port"]
    raise AssertionError("no kernel")


def _listens(place):
    with socket.socket() as probe: return not probe.connect_ex(place)


def _is_gone(place): # whether nobody listens there any more, after 10 s at most
    for _ in range(200):
        if not _listens(place): return True
        time.sleep(.05)
    return False


@LINUX
def test_a_copy_ends_with_its_client():
    with tempfile.TemporaryDirectory() as folder, warm_kernels({}) as command:
        with subprocess.Popen([*command[:-1], f"{folder}/connection.json"]) as client:
            place = _ports(folder)
            assert _listens(place) and client.poll() is None
            client.kill()
        assert _is_gone(place)


@LINUX
def test_the_end_of_the_runner_ends_template_and_copies():
    code = ("import time; from reject_nb.dev.warm_kernels import warm_kernels\n"
            "with warm_kernels({}) as command: print(*command[5:-1], flush=True); time.sleep(60)")
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as runner:
            socket_of_template = runner.stdout.readline().strip()
            words = [sys.executable, "-I", "-S", "-c", ASK, socket_of_template, f"{folder}/connection.json"]
            with subprocess.Popen(words) as client:
                place = _ports(folder)
                runner.kill()
                client.wait(60)        # its pipe ends when the copy does
        assert _is_gone(place)


def test_no_template_elsewhere():
    for platform in ("darwin", "win32"):
        with patch.object(sys, "platform", platform), warm_kernels({}) as command: assert command is None


def _served(*events, mine=None):
    "What `serve` does when these sources become ready in turn; clients 'a' and 'b' have processes 1 and 2."
    clients, asked, ended, turns = iter("ab"), [], [], iter(events)
    class Client(str):
        def close(self): asked.append(f"close {self}")
    known = {}
    class Listener:
        def __init__(self, family): asked.append(family)
        def __enter__(self): return self
        def __exit__(self, *_): asked.append("gone")
        def bind(self, path): asked.append(path)
        def listen(self): asked.append("listen")
        def accept(self):
            name = next(clients)
            known[name] = Client(name)
            return known[name], None
    listeners = []
    def listener(family):
        listeners.append(Listener(family))
        return listeners[0]
    class Waiting:
        def __enter__(self): return self
        def __exit__(self, *_): pass
        def register(self, source, what): asked.append(f"wait for {source}"
                                                       if source in known.values() else what)
        def unregister(self, source): asked.append(f"wait no more for {source}")
        def select(self):
            source = next(turns)
            ready = {"stdin": sys.stdin, "ask": listeners[0]}.get(source) or known[source]
            return [(SimpleNamespace(fileobj=ready), None)]
    def copy(connection, kernels):
        if connection == mine: return "request", "fds"
        kernels[connection] = {"a": 1, "b": 2}[connection]
    signals = []
    there = dict(socket=SimpleNamespace(socket=listener, AF_UNIX="unix"), _copy=copy, _end=ended.append,
                 selectors=SimpleNamespace(DefaultSelector=Waiting, EVENT_READ="read"),
                 signal=SimpleNamespace(signal=lambda *a: signals.append(a), SIGCHLD="child", SIGINT="stop",
                                        SIG_IGN="no"), print=lambda *a, **k: asked.append((a, k)))
    with mock.patch.dict(serve.__globals__, there): found = serve("/path")
    assert signals == [("child", "no"), ("stop", "no")] and asked[0] == "unix" and asked[-1] == "gone"
    assert asked[1:6] == ["/path", "listen", "read", "read", (("ready",), {"flush": True})]
    return found, ended, asked[6:-1]


def test_the_template_ends_the_copies_of_clients_that_leave():
    assert _served("stdin") == (None, [], [])
    assert _served("ask", "a", "stdin") == (None, [1], ["wait for a", "wait no more for a", "close a"])
    found, ended, _ = _served("ask", "ask", "a", "stdin")
    assert (found, ended) == (None, [1, 2])                          # the other one ends with the template


def test_a_copy_leaves_the_loop():
    found, ended, asked = _served("ask", "ask", mine="b")
    assert found == ("request", "fds") and ended == [] and asked == ["wait for a"]
