"""Feeds the cases with people and objects that exist, so that success is met as often as refusal.

Only a value that already fits its place is replaced, and only in every second case: what a case does wrong on purpose
stays wrong, and strangers stay strangers.
"""

import hashlib
import hmac
import json
import os
import random
import re
import time

import schemathesis
from schemathesis.core import NOT_SET

CAST = json.load(open(os.environ["GARIMPO_CAST"]))
WHO = os.environ["GARIMPO_WHO"]
EMAIL = re.compile(r"^\s*[^\s@\x00-\x1f\x7f-\x9f]+@[^\s@\x00-\x1f\x7f-\x9f]+\.[^\s@\x00-\x1f\x7f-\x9f]+\s*$")
PLANS = ["Top Afiliado", "elite_nivel_2", "Elite PRO 6", "profissional"]
dice = random.Random(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers["X-Forwarded-For"] = ".".join(["10"] + [str(dice.randrange(256)) for _ in range(3)])
    if case.path == "/api/auth/clear-cookie":
        # It would end the session that the other cases call with.
        case.headers["Authorization"] = ""
    if case.path == "/meta-capi" and isinstance(case.body, dict) and is_moment(case.body.get("event_time")):
        # A schema cannot say when now is, and every case would be refused for this alone.
        case.body["event_time"] = int(time.time())
    if case.path == "/webhooks/stripe":
        if "stripe-signature" in case.headers:
            sign(case)
    elif dice.random() < 0.5:
        meet(case)


def meet(case):
    """Somebody known instead of somebody made up."""
    if case.path == "/meta-capi" and WHO == "nobody":
        case.headers["origin"] = CAST["origin"]
    if "uid" in case.path_parameters:
        case.path_parameters["uid"] = CAST["uid"]
    if is_text(case.query.get("session_id")):
        case.query["session_id"] = CAST["session_id"]
    body = case.body
    if not isinstance(body, dict):
        return
    if is_text(body.get("uid")) and isinstance(body.get("email"), str) and EMAIL.match(body["email"]):
        body["uid"] = CAST["uid"]
    if isinstance(body.get("email"), str) and EMAIL.match(body["email"]):
        body["email"] = CAST["email"]
    if isinstance(body.get("planName"), str):
        body["planName"] = dice.choice(PLANS)


def is_text(value):
    return isinstance(value, str) and value != ""


def is_moment(value):
    return type(value) is int and 0 < value < 253_402_300_800


def sign(case):
    """The provider's signature over the body, as the client will write it."""
    at = int(time.time())
    written = b"" if case.body is NOT_SET else json.dumps(case.body).encode()
    signature = hmac.new(b"whsec_garimpo", f"{at}.".encode() + written, hashlib.sha256).hexdigest()
    case.headers["stripe-signature"] = f"t={at},v1={signature}"
