"""Runs every grpcurl command of README.md and docs/ as written, with the ports of the test's product.

A command must succeed, and its output must pass its check in EXPECTED. The test fails if a command has no check, if a
command is outside of a code block, or if grpcurl is missing.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from product import ROOT, running
from reflected import Reflected

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"\bgrpcurl\s+-")
SIGN_UP = "garimpo.auth.v1.AuthService/SignUp"


def is_list_of_public_services(output):
    return set(output.split()) >= {"garimpo.auth.v1.AuthService", "garimpo.billing.v1.BillingService"} and (
        "garimpo.billing.v1.EntitlementService" not in output
    )


def is_signed_up(output):
    return json.loads(output)["idToken"].startswith("gi_")


# The end of a command, and a check of its output.
EXPECTED = {
    " list": is_list_of_public_services,
    f" {SIGN_UP}": is_signed_up,
    " garimpo.auth.v1.AuthService/GetSession": lambda output: json.loads(output)["authenticated"] is True,
    " describe garimpo.auth.v1.AuthService.SignUp": lambda output: "rpc SignUp ( .garimpo.auth.v1.SignUpRequest )" in output,
    "/api/auth/check-cookie": lambda output: json.loads(output) == {"authenticated": False},
}


def commands(text):
    """Returns the commands of the blocks with a grpcurl command, each in one line."""
    blocks = [block.replace("\\\n", " ") for block in BLOCK.findall(text) if COMMAND.search(block)]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


class Grpcurl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.product = running()
        form = {"email": "grpcurl@exemplo.com.br", "password": "segredo1", "display_name": "Ana Souza"}
        token = Reflected(cls.product.public).call(SIGN_UP, form)["id_token"]
        # requirements.txt installs a grpcurl beside this Python, which comes first.
        tools = pathlib.Path(sys.executable).parent
        cls.settings = {"PATH": f"{tools}:{os.environ['PATH']}", "TOKEN": token}

    def run_command(self, command):
        here = command.replace("127.0.0.1:8080", self.product.public).replace("127.0.0.1:50051", self.product.internal)
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", here], env=self.settings, capture_output=True, text=True, timeout=30
        )

    def test_every_command_of_the_documents_succeeds_and_prints_the_expected_output(self):
        ran = {}
        for document in DOCUMENTS:
            text = document.read_text()
            found = commands(text)
            calls = sum(command.startswith("grpcurl") for command in found)
            self.assertEqual(calls, len(COMMAND.findall(text)), f"{document} has a command outside of a block")
            for command in found:
                with self.subTest(f"{document.name}: {command}"):
                    known = [check for end, check in EXPECTED.items() if command.endswith(end)]
                    self.assertEqual(len(known), 1, "EXPECTED must know each command")
                    result = self.run_command(command)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertTrue(known[0](result.stdout), result.stdout)
                    ran.setdefault(document.name, []).append(command)
        self.assertEqual((len(ran["README.md"]), len(ran["grpc.md"])), (3, 2))

    def test_errors_are_printed_with_decoded_details(self):
        form = json.dumps({"email": "grpcurl@exemplo.com.br", "password": "outra-senha", "display_name": "Ana Souza"})
        result = self.run_command(f"grpcurl -plaintext -d '{form}' 127.0.0.1:8080 {SIGN_UP}")
        self.assertNotEqual(result.returncode, 0)
        for words in ["AlreadyExists", "google.rpc.ErrorInfo", '"reason":"EMAIL_IN_USE"']:
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
