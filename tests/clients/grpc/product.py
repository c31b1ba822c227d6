"""The product that the tests of this folder call: one process with its sandbox, a fresh database, ports of its own."""

import atexit
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILT = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"
CARD = "4242424242424242"
PORTS = ["GARIMPO_LISTEN", "GARIMPO_GRPC_LISTEN", "GARIMPO_SANDBOX_LISTEN", "GARIMPO_METRICS_LISTEN"]


def until(what, look, within=20.0):
    """The first answer of `look` that is one."""
    deadline = time.monotonic() + within
    while not (seen := look()):
        assert time.monotonic() < deadline, f"waited {within} s in vain for: {what}"
        time.sleep(0.02)
    return seen


class Product:
    """One process; `settings` are added to those of a process on ports of its own."""

    def __init__(self, command="serve", settings=None):
        self.command = command
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="garimpo-grpc-"))
        self.settings = {port: "127.0.0.1:0" for port in PORTS}
        self.settings |= {"GARIMPO_DATA_DIR": str(self.folder), "GARIMPO_BLACK_NOVEMBER": "off"}
        self.settings |= settings or {}
        atexit.register(self.stop)
        self.start()

    def start(self):
        self.log = open(self.folder / "log", "a")
        note = self.folder / "addresses.json"
        note.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [BUILT / "garimpo", self.command], env=self.settings, stdout=self.log, stderr=self.log
        )
        until("addresses.json", note.exists)
        self.addresses = until("the addresses", lambda: json.loads(note.read_text() or "null"))
        until("readiness", self._is_ready)
        # Whoever starts again finds the same ports.
        named = zip(PORTS, ["public", "grpc", "sandbox", "metrics"])
        bound = {port: self.addresses[name] for port, name in named if name in self.addresses}
        self.settings |= {port: address.removeprefix("http://") for port, address in bound.items()}

    def _is_ready(self):
        assert self.process.poll() is None, (self.folder / "log").read_text()
        try:
            return urllib.request.urlopen(f"{self.addresses['metrics']}/readyz", timeout=5).status == 200
        except OSError:
            return False

    @property
    def public(self):
        return self.addresses["public"].removeprefix("http://")

    @property
    def internal(self):
        return self.addresses["grpc"].removeprefix("http://")

    def admin(self, *arguments):
        ran = subprocess.run(
            [BUILT / "garimpo", "admin", *arguments], env=self.settings, capture_output=True, text=True, check=True
        )
        return ran.stdout

    def token(self, scope, name="grpcio"):
        """A service token: its id and its text."""
        said = self.admin("token", "create", name, "--scope", scope)
        return said.split(" ")[0], said.splitlines()[-1]

    def post(self, path, message, method="POST"):
        """A call of the sandbox."""
        request = urllib.request.Request(
            self.addresses["sandbox"] + path,
            json.dumps(message).encode(),
            {"content-type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or "{}")

    def pays(self, client_secret):
        session = client_secret.split("_secret_")[0]
        self.post(f"/_test/checkout/{session}", {"card": CARD})
        return session

    def dies(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def stop(self):
        atexit.unregister(self.stop)
        if self.process.poll() is None:
            self.dies()
        said = (self.folder / "log").read_text()
        shutil.rmtree(self.folder, ignore_errors=True)
        assert "panicked" not in said, said


@functools.cache
def running():
    """The product that tests share."""
    return Product()
