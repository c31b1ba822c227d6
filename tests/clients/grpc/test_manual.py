"""docs/grpc.md: every command of it is run, in order and in one shell, and answers what the manual shows.

A ```sh block is run; a ```json or ```text block below it is what it prints. There `…` stands for what differs each time:
in a text any characters, at the end of a list or an object more of the same.
"""

import json
import os
import queue
import re
import subprocess
import threading
import unittest

from product import BUILT, ROOT, running

BLOCK = re.compile(r"^```(sh|json|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BUF = ROOT / "tests/node_modules/.bin"
DOOR = re.compile(r"^(PUBLIC|INTERNAL|SANDBOX)=", re.MULTILINE)


def like(shown, told):
    """Whether a text is the shown one, `…` standing for anything."""
    pattern = ".*".join(re.escape(part) for part in shown.split("…"))
    return re.fullmatch(pattern, told, re.DOTALL) is not None


def differences(shown, told, where="$"):
    """What was told otherwise than shown."""
    if isinstance(shown, dict) and isinstance(told, dict):
        more = "…" in shown
        names = [name for name in shown if name != "…"]
        if missing := [name for name in names if name not in told]:
            yield f"{where}: without {missing}"
        if not more and (extra := [name for name in told if name not in shown]):
            yield f"{where}: not shown {extra}"
        for name in names:
            if name in told:
                yield from differences(shown[name], told[name], f"{where}.{name}")
    elif isinstance(shown, list) and isinstance(told, list):
        more = bool(shown) and shown[-1] == "…"
        parts = shown[:-1] if more else shown
        if len(told) < len(parts) or (not more and len(told) > len(parts)):
            yield f"{where}: {len(told)} and not {len(parts)}"
        for place, (part, other) in enumerate(zip(parts, told)):
            yield from differences(part, other, f"{where}[{place}]")
    elif isinstance(shown, str) and isinstance(told, str):
        if not like(shown, told):
            yield f"{where}: {told!r} and not {shown!r}"
    elif shown != told:
        yield f"{where}: {told!r} and not {shown!r}"


def documents(text):
    """The JSON documents that stand one after the other."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while rest := text[at:].lstrip():
        at = len(text) - len(rest)
        document, at = decoder.raw_decode(text, at)
        found.append(document)
    return found


class Shell:
    """One bash for all commands, so that a variable of one block is there in the next."""

    END = "-- the end of a block --"

    def __init__(self, settings, folder):
        self.block = folder / "block.sh"
        self.process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            env=settings,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines = queue.Queue()
        self.reading = threading.Thread(target=self._read, daemon=True)
        self.reading.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)

    def runs(self, commands):
        # From a file: a command that reads its input would read the commands after it.
        self.block.write_text(commands)
        print(f". {self.block} </dev/null\necho; echo '{self.END}'", file=self.process.stdin, flush=True)
        said = []
        while not said or said[-1].strip() != self.END:
            said.append(self.lines.get(timeout=30))
        return "".join(said[:-1])

    def ends(self):
        self.process.kill()
        self.process.wait()
        self.reading.join()
        self.process.stdin.close()
        self.process.stdout.close()


class Manual(unittest.TestCase):
    def test_every_command_answers_what_the_manual_shows(self):
        product = running()
        path = {"PATH": f"{BUF}:{BUILT}:{os.environ['PATH']}", "HOME": str(product.folder)}
        shell = Shell(product.settings | path, product.folder)
        self.addCleanup(shell.ends)
        shell.runs(
            f"PUBLIC={product.addresses['public']} INTERNAL={product.addresses['grpc']} "
            f"SANDBOX={product.addresses['sandbox']}"
        )
        blocks = BLOCK.findall((ROOT / "docs/grpc.md").read_text())
        ran, shown = 0, 0
        for place, (kind, text) in enumerate(blocks):
            if kind != "sh" or DOOR.match(text):
                continue
            told = shell.runs(text.strip())
            ran += 1
            following = blocks[place + 1] if place + 1 < len(blocks) else ("sh", "")
            with self.subTest(text):
                if following[0] == "json":
                    shown += 1
                    found = list(differences(documents(following[1]), documents(told)))
                    self.assertFalse(found, f"\n{text}answered\n{told}")
                elif following[0] == "text":
                    shown += 1
                    self.assertTrue(like(following[1].strip(), told.strip()), f"\n{text}answered\n{told}")
        self.assertGreater(ran, 20)
        self.assertGreater(shown, 15)


if __name__ == "__main__":
    unittest.main()
