"""A running sandbox, with the provider's Python SDK as its client."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.request

import stripe

ROOT = pathlib.Path(__file__).resolve().parents[4]
BINARY = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "garimpo"
DEADLINE_S = 25


def until(holds, what):
    """Calls `holds` until it returns a true value, and returns this value."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"did not happen in time: {what}")
        time.sleep(0.02)


class Sandbox:
    """A sandbox process with a temporary folder."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="garimpo-python-"))
        self.log = open(self.folder / "log", "ab")
        environment = {
            "GARIMPO_DATA_DIR": str(self.folder),
            "GARIMPO_SANDBOX_LISTEN": "127.0.0.1:0",
            "GARIMPO_METRICS_LISTEN": "127.0.0.1:0",
            "GARIMPO_SANDBOX_CLOCK": "2026-12-01T12:00:00-03:00",
        }
        self.process = subprocess.Popen(
            [BINARY, "sandbox"], env=environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log
        )
        self.url = until(self._address, "the sandbox's address")
        until(self._is_ready, "the sandbox responds")
        self.client = stripe.StripeClient("sk_test_garimpo", base_addresses={"api": self.url})

    def _address(self):
        if self.process.poll() is not None:
            raise AssertionError((self.folder / "log").read_text())
        try:
            return json.loads((self.folder / "addresses.json").read_text())["sandbox"]
        except (FileNotFoundError, ValueError):
            return None

    def _is_ready(self):
        try:
            return urllib.request.urlopen(f"{self.url}/clock").status == 200
        except OSError:
            return False

    def act(self, path, body):
        """Calls a test endpoint of the sandbox, as a visitor or a payer."""
        request = urllib.request.Request(
            f"{self.url}{path}", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
