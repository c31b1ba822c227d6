"""The running product that the tests of this folder call: one process with its sandbox and a fresh database."""

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
    """Calls `look` until it returns a true value, and returns this value."""
    deadline = time.monotonic() + within
    while not (seen := look()):
        assert time.monotonic() < deadline, f"not within {within} s: {what}"
        time.sleep(0.02)
    return seen


class Product:
    """One process on free ports. `settings` are added to its other settings."""

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
        file = self.folder / "addresses.json"
        file.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [BUILT / "garimpo", self.command], env=self.settings, stdout=self.log, stderr=self.log
        )
        until("addresses.json", file.exists)
        self.addresses = until("the addresses", lambda: json.loads(file.read_text() or "null"))
        until("readiness", self._is_ready)
        # A restarted process listens on the same ports.
        port_names = zip(PORTS, ["public", "grpc", "sandbox", "metrics"])
        bound = {port: self.addresses[name] for port, name in port_names if name in self.addresses}
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

    def create_token(self, scope, name="grpcio"):
        """Creates a service token. Returns its id and its text."""
        output = self.admin("token", "create", name, "--scope", scope)
        return output.split(" ")[0], output.splitlines()[-1]

    def post(self, path, message, method="POST"):
        """Calls the sandbox."""
        request = urllib.request.Request(
            self.addresses["sandbox"] + path,
            json.dumps(message).encode(),
            {"content-type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.loads(response.read() or "{}")

    def pay(self, client_secret):
        session = client_secret.split("_secret_")[0]
        self.post(f"/_test/checkout/{session}", {"card": CARD})
        return session

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def stop(self):
        atexit.unregister(self.stop)
        if self.process.poll() is None:
            self.kill()
        log = (self.folder / "log").read_text()
        shutil.rmtree(self.folder, ignore_errors=True)
        assert "panicked" not in log, log


@functools.cache
def running():
    """Returns the product that tests share."""
    return Product()
