"""What an account may use, asked of Garimpo as a service should: cached, with a deadline, and open for a while when
Garimpo does not answer (docs/grpc.md, "How a caller should behave")."""

import math
import random
import sys
import time
from dataclasses import dataclass

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from garimpo.billing.v1 import entitlement_service_pb2 as pb
from garimpo.billing.v1 import entitlement_service_pb2_grpc as rpc

# Somebody waits behind each call, so it must not wait for long.
DEADLINE_S = 1.0
# The longest pause between two tries.
LONGEST_PAUSE_S = 10.0
# The token is not let in. A person has to mend that: trying again does not.
REFUSED = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)


class Unreachable(Exception):
    """Garimpo does not answer, and nothing recent enough is known of the account."""


def reason_of(error):
    """The ErrorReason of a failed call, for instance USER_NOT_FOUND; empty when the transport made the error."""
    return _detail(error, error_details_pb2.ErrorInfo()).reason


def alarm(refused):
    print(f"ALARM: Garimpo refuses the token ({refused.code().name}): nothing is asked any more", file=sys.stderr, flush=True)


def _detail(error, message):
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        if detail.Unpack(message):
            break
    return message


class BackOff:
    """Pauses that double, each drawn at random below its bound, so that callers do not come back all at once."""

    def __init__(self):
        self.failures = 0

    def pause_s(self, error):
        bound = min(LONGEST_PAUSE_S, 0.1 * 2**self.failures)
        self.failures += 1
        asked = _detail(error, error_details_pb2.RetryInfo()).retry_delay
        return asked.seconds + asked.nanos / 1e9 + random.uniform(0, bound)


@dataclass
class Known:
    """An answer, until when it is fresh, and until when it stands in while Garimpo does not answer."""

    answer: pb.GetEntitlementsResponse
    fresh_until: float
    stands_in_until: float


class Entitlements:
    def __init__(self, channel, token, fail_open_s=3600.0, cache_at_most_s=60.0):
        self.stub = rpc.EntitlementServiceStub(channel)
        self.metadata = (("authorization", f"Bearer {token}"),)
        self.fail_open_s = fail_open_s
        self.cache_at_most_s = cache_at_most_s
        self.known = {}
        self.back_off = BackOff()
        self.not_before = 0.0

    def get(self, uid):
        return self.stub.GetEntitlements(
            pb.GetEntitlementsRequest(uid=uid), metadata=self.metadata, timeout=DEADLINE_S
        )

    def batch(self, uids):
        """Up to 1,000 uids at once: what a program asks when it starts."""
        return self.stub.BatchGetEntitlements(
            pb.BatchGetEntitlementsRequest(uids=uids), metadata=self.metadata, timeout=5 * DEADLINE_S
        )

    def check(self, uid, resource, wanted):
        return self.stub.CheckLimit(
            pb.CheckLimitRequest(uid=uid, resource=resource, wanted=wanted),
            metadata=self.metadata,
            timeout=DEADLINE_S,
        )

    def may(self, uid, resource, wanted):
        """Whether the account may have `wanted` of a resource, and how that is known: fresh, cached or stale."""
        answer, how = self.answer_for(uid)
        limits = {limit.resource: limit for limit in answer.limits} if answer else {}
        limit = limits.get(resource)
        return limit is not None and (limit.unlimited or wanted <= limit.max), how

    def answer_for(self, uid):
        now, known = time.monotonic(), self.known.get(uid)
        if known and now < known.fresh_until:
            return known.answer, "cached"
        if now >= self.not_before:
            try:
                return self._fresh(uid, now), "fresh"
            except grpc.RpcError as error:
                if reason_of(error) == "USER_NOT_FOUND":
                    self.known.pop(uid, None)
                    return None, "fresh"
                if error.code() == grpc.StatusCode.INVALID_ARGUMENT:
                    raise  # A defect of ours in this one question, which says nothing of the next.
                self.not_before = now + self._pause_s(error)
        if known and now < known.stands_in_until:
            return known.answer, "stale"
        raise Unreachable

    def _pause_s(self, error):
        """Nobody asks again before it is over: whoever is in trouble needs fewer calls, not more."""
        if error.code() not in REFUSED:
            return self.back_off.pause_s(error)
        # What is known stands in as in an outage, until somebody starts this with another token.
        alarm(error)
        return math.inf

    def _fresh(self, uid, now):
        answer = self.get(uid)
        self.back_off = BackOff()
        cache_for = answer.cache_for.seconds + answer.cache_for.nanos / 1e9
        self.known[uid] = Known(answer, now + min(cache_for, self.cache_at_most_s), now + self.fail_open_s)
        return answer

    def watch(self, cursor):
        """Every state and change as ("state" | "change" | "level", message), for ever; the caller keeps the cursor of
        each message once it has worked on it. ("again", None) says that all states are told from the start."""
        back_off = BackOff()
        while True:
            call = self.stub.WatchEntitlements(
                pb.WatchEntitlementsRequest(cursor=cursor or None), metadata=self.metadata
            )
            try:
                for message in call:
                    back_off = BackOff()
                    cursor = message.cursor or cursor
                    if message.uid:
                        yield ("change" if message.cursor else "state"), message
                    else:
                        # The first says that all states were told; later ones are heartbeats with a younger cursor.
                        yield "level", message
                time.sleep(1)  # It ended without an error: something in between closed it.
            except grpc.RpcError as error:
                if reason_of(error) == "CURSOR_EXPIRED":
                    cursor = ""
                    yield "again", None
                elif error.code() in REFUSED:
                    alarm(error)
                    raise
                elif error.code() == grpc.StatusCode.INVALID_ARGUMENT:
                    raise
                else:
                    time.sleep(back_off.pause_s(error))
