"""docs/examples in Rust, Python and Node against the product: each does what its README says, and behaves as
docs/grpc.md asks of a caller."""

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
# Short, so that nobody waits here for what takes a minute and an hour in life.
KEEPING = {"CACHE_AT_MOST_SECONDS": "3", "FAIL_OPEN_SECONDS": "9"}
DAY_S = 86_400


class Program:
    """A running example: lines in, lines out."""

    def __init__(self, language, address, token, *arguments):
        environment = os.environ | KEEPING
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
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def next(self):
        line = self.lines.get(timeout=20)
        assert line is not None, f"it ended: {self.process.stderr.read()}"
        return line

    def asks(self, line):
        print(line, file=self.process.stdin, flush=True)
        return self.next()

    def says_next(self, count):
        """So many lines, heartbeats left out."""
        said = []
        while len(said) < count:
            line = self.next()
            if line != "level":
                said.append(line)
        return said

    def ends(self):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()


def told_until_unreachable(program, asked):
    """What a program answers while nobody answers it, each once and in order."""
    told = []

    def is_over():
        told.append(program.asks(asked))
        return told[-1] == "unreachable"

    until("nobody is let in for ever", is_over, within=60)
    return list(dict.fromkeys(told))


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.product = Product()
        cls.public = Reflected(cls.product.public)
        cls.internal = Reflected(cls.product.internal)
        _, cls.token = cls.product.token("billing.read")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="garimpo-examples-", dir=cls.product.folder))

    @classmethod
    def tearDownClass(cls):
        cls.product.stop()

    def start(self, *arguments, token=None):
        """Each program, started; `{}` in an argument is its language."""
        programs = {
            language: Program(
                language, self.product.internal, token or self.token, *(word.format(language) for word in arguments)
            )
            for language in PROGRAMS
        }
        for program in programs.values():
            self.addCleanup(program.ends)
        return programs

    def signs_up(self):
        email = f"{uuid.uuid4()}@exemplo.com.br"
        form = {"email": email, "password": "segredo1", "display_name": "Ana Souza"}
        told = self.public.call("garimpo.auth.v1.AuthService/SignUp", form)
        return told["user"]["uid"], email, told["id_token"]

    def buys(self, uid, email, token):
        order = {"email": email, "plan_name": "Top Afiliado", "interval": "month"}

        def opens():
            try:
                path = "garimpo.billing.v1.BillingService/CreateCheckoutSession"
                return self.public.call(path, order, token)["client_secret"]
            except Refused as told:
                self.assertIn(told.reason, ["UNAVAILABLE", "PROVIDER_UNAVAILABLE"])

        self.product.pays(until("the catalogue at the provider", opens))
        path = "garimpo.billing.v1.EntitlementService/GetEntitlements"
        until("access", lambda: self.internal.call(path, {"uid": uid}, self.token)["status"] == "active")

    def test_questions_are_answered_cached_and_survive_an_outage_for_as_long_as_is_safe(self):
        ana, bia = self.signs_up()[0], self.signs_up()[0]
        programs = self.start()
        for language, program in programs.items():
            with self.subTest(language):
                for asked, told in [
                    (f"get {ana}", "profissional trialing"),
                    (f"batch {ana} {bia} usr_x", "2 known 1 unknown"),
                    (f"check {ana} whatsapp_groups 11", "no elite_nivel_2"),
                    (f"check {ana} groups 1", "error INVALID_ARGUMENT"),
                    ("get usr_x", "error USER_NOT_FOUND"),
                    ("may usr_x queues 1", "no fresh"),
                    (f"may {ana} whatsapp_groups 10", "yes fresh"),
                    (f"may {ana} whatsapp_groups 11", "no cached"),
                    # A malformed question says nothing of the next one.
                    (f"may {'u' * 200} queues 1", "error INVALID_ARGUMENT"),
                    (f"may {bia} queues 1", "yes fresh"),
                    ("get", "unknown command"),
                    (f"may {ana} queues -1", "unknown command"),
                    (f"check {ana} queues {2**63}", "unknown command"),
                    (f"check {ana} queues {2**63 - 1}", "no -"),
                ]:
                    self.assertEqual(program.asks(asked), told, asked)

        asked = f"may {ana} queues 1"
        with ThreadPoolExecutor() as at_once:
            list(at_once.map(lambda program: until("news", lambda: program.asks(asked) == "yes fresh"), programs.values()))
            self.product.dies()
            outages = dict(zip(programs, at_once.map(lambda program: told_until_unreachable(program, asked), programs.values())))
        for language, program in programs.items():
            with self.subTest(language):
                self.assertEqual(outages[language], ["yes cached", "yes stale", "unreachable"])
                self.assertEqual(program.asks("may usr_y queues 1"), "unreachable", "never heard of")
        self.product.start()
        for program in programs.values():
            until("it asks again", lambda: program.asks(asked) == "yes fresh")

    def test_a_token_that_is_not_let_in_is_asked_with_once_and_told_to_a_person(self):
        ana, *_ = self.signs_up()
        for language, program in self.start(token="gv_revoked").items():
            with self.subTest(language):
                # Longer than the first pauses between two tries.
                enough = time.monotonic() + 0.3
                while time.monotonic() < enough:
                    self.assertEqual(program.asks(f"may {ana} queues 1"), "unreachable")
                program.process.stdin.close()
                self.assertEqual(program.process.wait(timeout=20), 0)
                alarms = program.process.stderr.read().splitlines()
                self.assertEqual(len(alarms), 1, alarms)
                self.assertTrue(alarms[0].startswith("ALARM: Garimpo refuses the token"), alarms)

    def test_a_watch_goes_on_from_its_cursor_after_its_own_end_and_the_servers(self):
        ana, email, token = self.signs_up()
        watch = ["watch", f"{self.folder}/{{}}"]
        state = f"state {ana} profissional trialing"
        for language, program in self.start(*watch).items():
            with self.subTest(language):
                said = []
                while not said or said[-1] != "level":
                    said.append(program.next())
                self.assertEqual(said.count(state), 1, said)
                # The cursor is kept after its line; the next heartbeat would take half a minute.
                until("a cursor", (self.folder / language).exists)
                program.ends()

        self.buys(ana, email, token)
        programs = self.start(*watch)
        for language, program in programs.items():
            with self.subTest(language):
                self.assertEqual(program.says_next(1), [f"change {ana} top_afiliado active"])

        self.product.dies()
        self.product.start()
        eva, *_ = self.signs_up()
        for language, program in programs.items():
            with self.subTest(language):
                self.assertEqual(program.says_next(1), [f"change {eva} profissional trialing"])
                program.ends()

        self.product.post("/clock", {"advance_seconds": 8 * DAY_S})
        for language, program in self.start(*watch).items():
            with self.subTest(language):
                self.assertEqual(program.next(), "again", "the cursor is older than seven days")
                said = [program.next() for _ in range(2)]
                self.assertTrue(all(line.startswith("state ") for line in said), said)

        for language, program in self.start(*watch, token="gv_revoked").items():
            with self.subTest(language):
                self.assertEqual(program.process.wait(timeout=20), 1, "a token is for a person to mend")
                alarm, why = program.process.stderr.read().splitlines()
                self.assertTrue(alarm.startswith("ALARM: Garimpo refuses the token"), alarm)
                self.assertEqual(why, "error UNAUTHENTICATED")


if __name__ == "__main__":
    unittest.main()
