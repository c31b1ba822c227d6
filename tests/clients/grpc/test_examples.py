"""Runs docs/examples in Rust, Python and Node against the product, and checks their output by docs/examples/README.md
and docs/grpc.md, "How a caller should behave"."""

import os
import pathlib
import queue
import subprocess
import tempfile
import threading
import time
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor

from product import BUILT, ROOT, Product, until
from reflected import Reflected, Refused

EXAMPLES = ROOT / "docs/examples"
PROGRAMS = {
    "rust": [BUILT / "entitlements-example"],
    "python": [os.environ.get("GARIMPO_PYTHON", "python3"), EXAMPLES / "python/main.py"],
    "node": ["node", EXAMPLES / "node/main.js"],
}
# The defaults, a minute and an hour, are too long for a test.
CACHE_SETTINGS = {"CACHE_AT_MOST_SECONDS": "3", "FAIL_OPEN_SECONDS": "9"}
DAY_S = 86_400


class Program:
    """A running example that reads commands and prints a line for each."""

    def __init__(self, language, address, token, *arguments):
        environment = os.environ | CACHE_SETTINGS
        environment |= {"GARIMPO_GRPC": address, "GARIMPO_TOKEN": token, "PYTHONPATH": str(EXAMPLES / "python/gen")}
        self.process = subprocess.Popen(
            [*PROGRAMS[language], *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines = queue.Queue()
        self.errors = []
        self.error_reader = threading.Thread(target=self._read_errors, daemon=True)
        threading.Thread(target=self._read, daemon=True).start()
        self.error_reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def _read_errors(self):
        self.errors.extend(line.strip() for line in self.process.stderr)

    def next(self):
        line = self.lines.get(timeout=20)
        assert line is not None, f"the program ended: {self.all_errors()}"
        return line

    def all_errors(self):
        """Returns the lines of standard error of a program that ended."""
        self.error_reader.join(timeout=20)
        return self.errors

    def run_command(self, line):
        print(line, file=self.process.stdin, flush=True)
        return self.next()

    def next_event(self):
        """Returns the next line that is no heartbeat."""
        while (line := self.next()) == "up-to-date":
            pass
        return line

    def end(self):
        self.process.kill()
        self.process.wait()
        self.error_reader.join(timeout=20)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()


def outputs_in_outage(program, command):
    """Repeats a command until its output is "unreachable". Returns each different output once, in order."""
    outputs = []

    def is_unreachable():
        outputs.append(program.run_command(command))
        return outputs[-1] == "unreachable"

    until("the output is 'unreachable'", is_unreachable, within=60)
    return list(dict.fromkeys(outputs))


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.product = Product()
        cls.public = Reflected(cls.product.public)
        cls.internal = Reflected(cls.product.internal)
        _, cls.token = cls.product.create_token("billing.read")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="garimpo-examples-", dir=cls.product.folder))

    @classmethod
    def tearDownClass(cls):
        cls.product.stop()

    def start(self, *arguments, token=None):
        """Starts each program. `{}` in an argument becomes its language."""
        programs = {
            language: Program(
                language, self.product.internal, token or self.token, *(word.format(language) for word in arguments)
            )
            for language in PROGRAMS
        }
        for program in programs.values():
            self.addCleanup(program.end)
        return programs

    def sign_up(self):
        email = f"{uuid.uuid4()}@exemplo.com.br"
        form = {"email": email, "password": "segredo1", "display_name": "Ana Souza"}
        reply = self.public.call("garimpo.auth.v1.AuthService/SignUp", form)
        return reply["user"]["uid"], email, reply["id_token"]

    def buy(self, uid, email, token):
        order = {"email": email, "plan_name": "Top Afiliado", "interval": "month"}

        def open_checkout():
            try:
                path = "garimpo.billing.v1.BillingService/CreateCheckoutSession"
                return self.public.call(path, order, token)["client_secret"]
            except Refused as error:
                self.assertIn(error.reason, ["UNAVAILABLE", "PROVIDER_UNAVAILABLE"])

        self.product.pay(until("the catalogue at the provider", open_checkout))
        path = "garimpo.billing.v1.EntitlementService/GetEntitlements"
        until("access", lambda: self.internal.call(path, {"uid": uid}, self.token)["status"] == "active")

    def test_replies_are_cached_and_used_in_an_outage_until_the_time_limit(self):
        ana, bia = self.sign_up()[0], self.sign_up()[0]
        programs = self.start()
        for language, program in programs.items():
            with self.subTest(language):
                for command, output in [
                    (f"get {ana}", "profissional trialing"),
                    (f"batch {ana} {bia} usr_x", "2 known 1 unknown"),
                    (f"check {ana} whatsapp_groups 11", "no elite_nivel_2"),
                    (f"check {ana} groups 1", "error INVALID_ARGUMENT"),
                    ("get usr_x", "error USER_NOT_FOUND"),
                    ("may usr_x queues 1", "no fresh"),
                    (f"may {ana} whatsapp_groups 10", "yes fresh"),
                    (f"may {ana} whatsapp_groups 11", "no cached"),
                    # A malformed request does not affect the next one.
                    (f"may {'u' * 200} queues 1", "error INVALID_ARGUMENT"),
                    (f"may {bia} queues 1", "yes fresh"),
                    ("get", "unknown command"),
                    (f"may {ana} queues -1", "unknown command"),
                    (f"check {ana} queues {2**63}", "unknown command"),
                    (f"check {ana} queues {2**63 - 1}", "no -"),
                ]:
                    self.assertEqual(program.run_command(command), output, command)

        command = f"may {ana} queues 1"
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda program: until("a fresh reply", lambda: program.run_command(command) == "yes fresh"), programs.values()))
            self.product.kill()
            outages = dict(zip(programs, pool.map(lambda program: outputs_in_outage(program, command), programs.values())))
        for language, program in programs.items():
            with self.subTest(language):
                # Where the machine is slow, the reply is stale before the first command of the outage.
                seen = [output for output in outages[language] if output != "yes cached"]
                self.assertEqual(seen, ["yes stale", "unreachable"])
                self.assertEqual(program.run_command("may usr_y queues 1"), "unreachable", "an account without a cached reply")
        self.product.start()
        for program in programs.values():
            until("a fresh reply", lambda: program.run_command(command) == "yes fresh")

    def test_a_refused_token_is_used_once_and_raises_an_alarm(self):
        ana, *_ = self.sign_up()
        for language, program in self.start(token="gv_revoked").items():
            with self.subTest(language):
                may = lambda: self.assertEqual(program.run_command(f"may {ana} queues 1"), "unreachable")
                # The first call can reach its deadline on a slow machine, and is then repeated after a pause.
                until("an alarm", lambda: may() or program.errors)
                # Longer than the first pauses between two calls.
                end = time.monotonic() + 0.3
                while time.monotonic() < end:
                    may()
                program.process.stdin.close()
                self.assertEqual(program.process.wait(timeout=20), 0)
                alarms = program.all_errors()
                self.assertEqual(len(alarms), 1, alarms)
                self.assertTrue(alarms[0].startswith("ALARM: Garimpo refuses the token"), alarms)

    def test_a_watch_continues_from_its_cursor_after_a_restart_of_either_side(self):
        ana, email, token = self.sign_up()
        watch = ["watch", f"{self.folder}/{{}}"]
        state = f"state {ana} profissional trialing"
        for language, program in self.start(*watch).items():
            with self.subTest(language):
                lines = []
                while not lines or lines[-1] != "up-to-date":
                    lines.append(program.next())
                self.assertEqual(lines.count(state), 1, lines)
                # The program stores the cursor after it prints the line.
                until("a cursor", (self.folder / language).exists)
                program.end()

        self.buy(ana, email, token)
        programs = self.start(*watch)
        for language, program in programs.items():
            with self.subTest(language):
                self.assertEqual(program.next_event(), f"change {ana} top_afiliado active")

        self.product.kill()
        self.product.start()
        eva, *_ = self.sign_up()
        for language, program in programs.items():
            with self.subTest(language):
                self.assertEqual(program.next_event(), f"change {eva} profissional trialing")
                program.end()

        self.product.post("/clock", {"advance_seconds": 8 * DAY_S})
        for language, program in self.start(*watch).items():
            with self.subTest(language):
                self.assertEqual(program.next(), "restarted", "the cursor is older than seven days")
                lines = [program.next() for _ in range(2)]
                self.assertTrue(all(line.startswith("state ") for line in lines), lines)

        for language, program in self.start(*watch, token="gv_revoked").items():
            with self.subTest(language):
                self.assertEqual(program.process.wait(timeout=20), 1, "a person must replace the token")
                alarm, error = program.all_errors()
                self.assertTrue(alarm.startswith("ALARM: Garimpo refuses the token"), alarm)
                self.assertEqual(error, "error UNAUTHENTICATED")


if __name__ == "__main__":
    unittest.main()
