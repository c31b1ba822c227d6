"""Runs every command of docs/grpc.md, in order and in one shell, and compares the output with the page.

A ```sh block is run. A ```json or ```text block below it has the expected output, in which `…` stands for anything:
any characters in a text, further entries at the end of a list or an object.
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
ADDRESSES = re.compile(r"^(PUBLIC|INTERNAL|SANDBOX)=", re.MULTILINE)


def matches(expected, actual):
    """Whether a text is the expected one. `…` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, actual, re.DOTALL) is not None


def differences(expected, actual, where="$"):
    """Yields each difference between two JSON values."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        more = "…" in expected
        names = [name for name in expected if name != "…"]
        if missing := [name for name in names if name not in actual]:
            yield f"{where}: without {missing}"
        if not more and (extra := [name for name in actual if name not in expected]):
            yield f"{where}: unexpected {extra}"
        for name in names:
            if name in actual:
                yield from differences(expected[name], actual[name], f"{where}.{name}")
    elif isinstance(expected, list) and isinstance(actual, list):
        more = bool(expected) and expected[-1] == "…"
        parts = expected[:-1] if more else expected
        if len(actual) < len(parts) or (not more and len(actual) > len(parts)):
            yield f"{where}: {len(actual)} entries, expected {len(parts)}"
        for index, (part, other) in enumerate(zip(parts, actual)):
            yield from differences(part, other, f"{where}[{index}]")
    elif isinstance(expected, str) and isinstance(actual, str):
        if not matches(expected, actual):
            yield f"{where}: {actual!r}, expected {expected!r}"
    elif expected != actual:
        yield f"{where}: {actual!r}, expected {expected!r}"


def documents(text):
    """Decodes consecutive JSON documents."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while rest := text[at:].lstrip():
        at = len(text) - len(rest)
        document, at = decoder.raw_decode(text, at)
        found.append(document)
    return found


class Shell:
    """One bash for all commands, so that a variable of one block exists in the next."""

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

    def run(self, commands):
        # From a file, because a command that reads standard input would read the next commands.
        self.block.write_text(commands)
        print(f". {self.block} </dev/null\necho; echo '{self.END}'", file=self.process.stdin, flush=True)
        lines = []
        while not lines or lines[-1].strip() != self.END:
            lines.append(self.lines.get(timeout=30))
        return "".join(lines[:-1])

    def end(self):
        self.process.kill()
        self.process.wait()
        self.reading.join()
        self.process.stdin.close()
        self.process.stdout.close()


class Manual(unittest.TestCase):
    def test_every_command_prints_the_output_of_the_page(self):
        product = running()
        path = {"PATH": f"{BUF}:{BUILT}:{os.environ['PATH']}", "HOME": str(product.folder)}
        shell = Shell(product.settings | path, product.folder)
        self.addCleanup(shell.end)
        shell.run(
            f"PUBLIC={product.addresses['public']} INTERNAL={product.addresses['grpc']} "
            f"SANDBOX={product.addresses['sandbox']}"
        )
        blocks = BLOCK.findall((ROOT / "docs/grpc.md").read_text())
        ran, compared = 0, 0
        for index, (kind, text) in enumerate(blocks):
            if kind != "sh" or ADDRESSES.match(text):
                continue
            output = shell.run(text.strip())
            ran += 1
            following = blocks[index + 1] if index + 1 < len(blocks) else ("sh", "")
            with self.subTest(text):
                if following[0] == "json":
                    compared += 1
                    found = list(differences(documents(following[1]), documents(output)))
                    self.assertFalse(found, f"\n{text}printed\n{output}")
                elif following[0] == "text":
                    compared += 1
                    self.assertTrue(matches(following[1].strip(), output.strip()), f"\n{text}printed\n{output}")
        self.assertGreater(ran, 20)
        self.assertGreater(compared, 15)


if __name__ == "__main__":
    unittest.main()
