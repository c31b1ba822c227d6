"""Replaces generated values with those of existing accounts and objects, so that half of the calls can succeed.

Only valid values are replaced, and only in every second case: intended errors and unknown accounts remain.
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
CALLER = os.environ["GARIMPO_CALLER"]
EMAIL = re.compile(r"^\s*[^\s@\x00-\x1f\x7f-\x9f]+@[^\s@\x00-\x1f\x7f-\x9f]+\.[^\s@\x00-\x1f\x7f-\x9f]+\s*$")
PLANS = ["Top Afiliado", "elite_nivel_2", "Elite PRO 6", "profissional"]
dice = random.Random(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers["X-Forwarded-For"] = ".".join(["10"] + [str(dice.randrange(256)) for _ in range(3)])
    if case.path == "/api/auth/clear-cookie":
        # With the session, this call would sign out all other cases.
        case.headers["Authorization"] = ""
    if case.path == "/meta-capi" and isinstance(case.body, dict) and is_timestamp(case.body.get("event_time")):
        # The contract refuses old events, which a schema cannot express.
        case.body["event_time"] = int(time.time())
    if case.path == "/webhooks/stripe":
        if "stripe-signature" in case.headers:
            sign(case)
    elif dice.random() < 0.5:
        use_known_values(case)


def use_known_values(case):
    """Replaces generated values with those of the known account."""
    if case.path == "/meta-capi" and CALLER == "visitor":
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


def is_timestamp(value):
    return type(value) is int and 0 < value < 253_402_300_800


def sign(case):
    """Signs the body as the provider does, in the form in which the client serializes it."""
    at = int(time.time())
    written = b"" if case.body is NOT_SET else json.dumps(case.body).encode()
    signature = hmac.new(b"whsec_garimpo", f"{at}.".encode() + written, hashlib.sha256).hexdigest()
    case.headers["stripe-signature"] = f"t={at},v1={signature}"
