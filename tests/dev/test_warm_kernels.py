"""Tests of nbs/dev/02_warm_kernels.ipynb, extracted from its test cells: edit them there."""
import json
import pytest
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from reject_nb.dev.warm_kernels import ASK, warm_kernels

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
