"""The commands of docs/examples/README.md: one a line on standard input, or `watch FILE`.

GARIMPO_GRPC is the internal port (127.0.0.1:50051), GARIMPO_TOKEN a service token with billing.read.
"""

import os
import sys
from pathlib import Path

import grpc

from entitlements import Entitlements, Unreachable, reason_of

KEEPALIVE = [("grpc.keepalive_time_ms", 30_000), ("grpc.keepalive_timeout_ms", 10_000)]


# The contract's amounts are 64 bits wide.
LARGEST = 2**63 - 1


def is_amount(text):
    return text.isascii() and text.isdecimal() and int(text) <= LARGEST


def seconds(name, default):
    return float(os.environ.get(name, default))


def client():
    channel = grpc.insecure_channel(os.environ.get("GARIMPO_GRPC", "127.0.0.1:50051"), KEEPALIVE)
    return Entitlements(
        channel,
        os.environ.get("GARIMPO_TOKEN") or sys.exit("GARIMPO_TOKEN is missing"),
        fail_open_s=seconds("FAIL_OPEN_SECONDS", 3600),
        cache_at_most_s=seconds("CACHE_AT_MOST_SECONDS", 60),
    )


def answer(garimpo, words):
    match words:
        case ["get", uid]:
            told = garimpo.get(uid)
            return f"{told.plan_id} {told.status}"
        case ["batch", *uids]:
            told = garimpo.batch(uids)
            return f"{len(told.entitlements)} known {len(told.not_found)} unknown"
        case ["check", uid, resource, wanted] if is_amount(wanted):
            told = garimpo.check(uid, resource, int(wanted))
            return f"{'yes' if told.allowed else 'no'} {told.smallest_plan_id or '-'}"
        case ["may", uid, resource, wanted] if is_amount(wanted):
            allowed, how = garimpo.may(uid, resource, int(wanted))
            return f"{'yes' if allowed else 'no'} {how}"
    return "unknown command"


def ask(garimpo):
    for line in sys.stdin:
        try:
            print(answer(garimpo, line.split()), flush=True)
        except Unreachable:
            print("unreachable", flush=True)
        except grpc.RpcError as error:
            print(refusal(error), flush=True)


def refusal(error):
    return f"error {reason_of(error) or error.code().name}"


def watch(garimpo, file):
    cursor = file.read_text() if file.exists() else ""
    for what, message in garimpo.watch(cursor):
        if what in ("state", "change"):
            told = f"{message.entitlements.plan_id} {message.entitlements.status}"
            print(what, message.uid, told if message.HasField("entitlements") else "gone", flush=True)
        else:
            print(what, flush=True)
        if message is not None and message.cursor:
            # After the work, and whole: a crash before this line has the same change told again.
            whole = file.with_suffix(".new")
            whole.write_text(message.cursor)
            whole.replace(file)


if __name__ == "__main__":
    try:
        match sys.argv[1:]:
            case ["watch", file]:
                watch(client(), Path(file))
            case []:
                ask(client())
            case _:
                sys.exit("usage: main.py [watch FILE]")
    except grpc.RpcError as error:
        sys.exit(refusal(error))
