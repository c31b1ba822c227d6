"""The commands of docs/examples/README.md: one per line on standard input, or `watch FILE`.

GARIMPO_GRPC is the address of the internal port (127.0.0.1:50051), GARIMPO_TOKEN a service token
with the scope billing.read.
"""

import os
import sys
from pathlib import Path

import grpc

from entitlements import Entitlements, Unreachable, reason_of

KEEPALIVE = [("grpc.keepalive_time_ms", 30_000), ("grpc.keepalive_timeout_ms", 10_000)]


# Amounts of the API have 64 bits.
MAX_AMOUNT = 2**63 - 1


def is_amount(text):
    return text.isascii() and text.isdecimal() and int(text) <= MAX_AMOUNT


def seconds(name, default):
    return float(os.environ.get(name, default))


def client():
    channel = grpc.insecure_channel(os.environ.get("GARIMPO_GRPC", "127.0.0.1:50051"), KEEPALIVE)
    return Entitlements(
        channel,
        os.environ.get("GARIMPO_TOKEN") or sys.exit("GARIMPO_TOKEN is missing"),
        fail_open_s=seconds("FAIL_OPEN_SECONDS", 3600),
        max_cache_s=seconds("CACHE_AT_MOST_SECONDS", 60),
    )


def run_command(garimpo, words):
    match words:
        case ["get", uid]:
            reply = garimpo.get(uid)
            return f"{reply.plan_id} {reply.status}"
        case ["batch", *uids]:
            reply = garimpo.batch(uids)
            return f"{len(reply.entitlements)} known {len(reply.not_found)} unknown"
        case ["check", uid, resource, wanted] if is_amount(wanted):
            reply = garimpo.check(uid, resource, int(wanted))
            return f"{'yes' if reply.allowed else 'no'} {reply.smallest_plan_id or '-'}"
        case ["may", uid, resource, wanted] if is_amount(wanted):
            allowed, source = garimpo.check_cached(uid, resource, int(wanted))
            return f"{'yes' if allowed else 'no'} {source}"
    return "unknown command"


def run_commands(garimpo):
    for line in sys.stdin:
        try:
            print(run_command(garimpo, line.split()), flush=True)
        except Unreachable:
            print("unreachable", flush=True)
        except grpc.RpcError as error:
            print(format_error(error), flush=True)


def format_error(error):
    return f"error {reason_of(error) or error.code().name}"


def watch(garimpo, file):
    cursor = file.read_text() if file.exists() else ""
    for kind, message in garimpo.watch(cursor):
        if kind in ("state", "change"):
            reply = f"{message.entitlements.plan_id} {message.entitlements.status}"
            print(kind, message.uid, reply if message.HasField("entitlements") else "deleted", flush=True)
        else:
            print(kind, flush=True)
        if message is not None and message.cursor:
            # Written after the message was handled, and atomically: after a crash before this line,
            # the change is sent again.
            new_file = file.with_suffix(".new")
            new_file.write_text(message.cursor)
            new_file.replace(file)


if __name__ == "__main__":
    try:
        match sys.argv[1:]:
            case ["watch", file]:
                watch(client(), Path(file))
            case []:
                run_commands(client())
            case _:
                sys.exit("usage: main.py [watch FILE]")
    except grpc.RpcError as error:
        sys.exit(format_error(error))
