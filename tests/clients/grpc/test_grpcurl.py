"""Every grpcurl command of README.md and docs, run by grpcurl itself as it stands there, with the product's own ports.

A command must succeed and print what EXPECTED says of it. A command that EXPECTED does not know, or that stands where
it cannot be run, fails the test, and so does a missing grpcurl.
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


def is_list_of_public_services(told):
    return set(told.split()) >= {"garimpo.auth.v1.AuthService", "garimpo.billing.v1.BillingService"} and (
        "garimpo.billing.v1.EntitlementService" not in told
    )


def is_signed_up(told):
    return json.loads(told)["idToken"].startswith("gi_")


# How a command ends, and what is true of what it prints.
EXPECTED = {
    " list": is_list_of_public_services,
    f" {SIGN_UP}": is_signed_up,
    " garimpo.auth.v1.AuthService/GetSession": lambda told: json.loads(told)["authenticated"] is True,
    " describe garimpo.auth.v1.AuthService.SignUp": lambda told: "rpc SignUp ( .garimpo.auth.v1.SignUpRequest )" in told,
    "/api/auth/check-cookie": lambda told: json.loads(told) == {"authenticated": False},
}


def commands(text):
    """The commands of the blocks that have one of grpcurl's, each in one line."""
    blocks = [block.replace("\\\n", " ") for block in BLOCK.findall(text) if COMMAND.search(block)]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


class Grpcurl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.product = running()
        form = {"email": "grpcurl@exemplo.com.br", "password": "segredo1", "display_name": "Ana Souza"}
        token = Reflected(cls.product.public).call(SIGN_UP, form)["id_token"]
        # The one beside this Python comes first; requirements.txt says where there is one.
        tools = pathlib.Path(sys.executable).parent
        cls.settings = {"PATH": f"{tools}:{os.environ['PATH']}", "TOKEN": token}

    def runs(self, command):
        here = command.replace("127.0.0.1:8080", self.product.public).replace("127.0.0.1:50051", self.product.internal)
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", here], env=self.settings, capture_output=True, text=True, timeout=30
        )

    def test_every_command_of_the_documents_succeeds_and_prints_what_it_should(self):
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
                    told = self.runs(command)
                    self.assertEqual(told.returncode, 0, told.stderr)
                    self.assertTrue(known[0](told.stdout), told.stdout)
                    ran.setdefault(document.name, []).append(command)
        self.assertEqual((len(ran["README.md"]), len(ran["grpc.md"])), (3, 2))

    def test_errors_come_with_their_details_in_words(self):
        form = json.dumps({"email": "grpcurl@exemplo.com.br", "password": "outra-senha", "display_name": "Ana Souza"})
        told = self.runs(f"grpcurl -plaintext -d '{form}' 127.0.0.1:8080 {SIGN_UP}")
        self.assertNotEqual(told.returncode, 0)
        for words in ["AlreadyExists", "google.rpc.ErrorInfo", '"reason":"EMAIL_IN_USE"']:
            self.assertIn(words, told.stderr)


if __name__ == "__main__":
    unittest.main()
