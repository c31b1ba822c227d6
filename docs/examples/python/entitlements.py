"""A client of EntitlementService that caches replies, sets deadlines and uses the last reply for a
while when Garimpo does not respond (docs/grpc.md, "How a caller should behave")."""

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

# A user waits for each call, so its deadline is short.
DEADLINE_S = 1.0
# Maximum pause between two tries.
MAX_PAUSE_S = 10.0
# The token is refused: a person must replace it, and retries do not help.
TOKEN_REFUSED = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)


class Unreachable(Exception):
    """Garimpo does not respond, and there is no recent reply about the account."""


def reason_of(error):
    """Returns the ErrorReason of a failed call, such as USER_NOT_FOUND. Empty if the transport failed."""
    return _detail(error, error_details_pb2.ErrorInfo()).reason


def raise_alarm(refused):
    print(f"ALARM: Garimpo refuses the token ({refused.code().name}): no more calls are made", file=sys.stderr, flush=True)


def _detail(error, message):
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        if detail.Unpack(message):
            break
    return message


class BackOff:
    """Exponential backoff with random pauses, so that callers do not retry all at once."""

    def __init__(self):
        self.failures = 0

    def pause_s(self, error):
        bound = min(MAX_PAUSE_S, 0.1 * 2**self.failures)
        self.failures += 1
        retry_delay = _detail(error, error_details_pb2.RetryInfo()).retry_delay
        return retry_delay.seconds + retry_delay.nanos / 1e9 + random.uniform(0, bound)


@dataclass
class CachedReply:
    """A reply, the time until it is fresh, and the time until it may be used in an outage."""

    reply: pb.GetEntitlementsResponse
    fresh_until: float
    usable_until: float


class Entitlements:
    def __init__(self, channel, token, fail_open_s=3600.0, max_cache_s=60.0):
        self.stub = rpc.EntitlementServiceStub(channel)
        self.metadata = (("authorization", f"Bearer {token}"),)
        self.fail_open_s = fail_open_s
        self.max_cache_s = max_cache_s
        self.cache = {}
        self.back_off = BackOff()
        self.retry_at = 0.0

    def get(self, uid):
        return self.stub.GetEntitlements(
            pb.GetEntitlementsRequest(uid=uid), metadata=self.metadata, timeout=DEADLINE_S
        )

    def batch(self, uids):
        """Reads up to 1,000 accounts in one call, for the start of a program."""
        return self.stub.BatchGetEntitlements(
            pb.BatchGetEntitlementsRequest(uids=uids), metadata=self.metadata, timeout=5 * DEADLINE_S
        )

    def check(self, uid, resource, wanted):
        return self.stub.CheckLimit(
            pb.CheckLimitRequest(uid=uid, resource=resource, wanted=wanted),
            metadata=self.metadata,
            timeout=DEADLINE_S,
        )

    def check_cached(self, uid, resource, wanted):
        """Returns whether the account may have `wanted` of a resource, and the source of the
        result: fresh, cached or stale."""
        reply, source = self.look_up(uid)
        limits = {limit.resource: limit for limit in reply.limits} if reply else {}
        limit = limits.get(resource)
        return limit is not None and (limit.unlimited or wanted <= limit.max), source

    def look_up(self, uid):
        now, cached = time.monotonic(), self.cache.get(uid)
        if cached and now < cached.fresh_until:
            return cached.reply, "cached"
        if now >= self.retry_at:
            try:
                return self._fetch(uid, now), "fresh"
            except grpc.RpcError as error:
                if reason_of(error) == "USER_NOT_FOUND":
                    self.cache.pop(uid, None)
                    return None, "fresh"
                if error.code() == grpc.StatusCode.INVALID_ARGUMENT:
                    raise  # This request is malformed. Other requests are not affected.
                self.retry_at = now + self._pause_after_s(error)
        if cached and now < cached.usable_until:
            return cached.reply, "stale"
        raise Unreachable

    def _pause_after_s(self, error):
        """Returns the pause before the next call, because a failing server needs fewer calls. Infinite
        if the token is refused."""
        if error.code() not in TOKEN_REFUSED:
            return self.back_off.pause_s(error)
        # Cached replies are used as in an outage, until the program is started with another token.
        raise_alarm(error)
        return math.inf

    def _fetch(self, uid, now):
        reply = self.get(uid)
        self.back_off = BackOff()
        cache_for = reply.cache_for.seconds + reply.cache_for.nanos / 1e9
        self.cache[uid] = CachedReply(reply, now + min(cache_for, self.max_cache_s), now + self.fail_open_s)
        return reply

    def watch(self, cursor):
        """Yields events as (kind, message), forever:

        "state": the rights of an account when the watch begins. "change": its rights after a change.
        "up-to-date": all states were sent, or nothing changed for 30 s. "restarted", without a
        message: the cursor had expired, so all states are sent again; accounts without a state were
        deleted. The caller stores the cursor of a message after it has handled the message."""
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
                        yield "up-to-date", message
                time.sleep(1)  # The stream ended without an error, for instance closed by a proxy.
            except grpc.RpcError as error:
                if reason_of(error) == "CURSOR_EXPIRED":
                    cursor = ""
                    yield "restarted", None
                elif error.code() in TOKEN_REFUSED:
                    raise_alarm(error)
                    raise
                elif error.code() == grpc.StatusCode.INVALID_ARGUMENT:
                    raise
                else:
                    time.sleep(back_off.pause_s(error))
