"""Waits for the product, creates an account, a checkout and a service token, and writes them to cast.json.

Prints shell assignments: the public address and the two tokens.
"""

import base64
import json
import os
import subprocess
import sys
import time

import requests

data, garimpo, *settings = sys.argv[1:]
environment = dict(setting.split("=", 1) for setting in settings)
deadline = time.monotonic() + 60


def until(look):
    """Calls `look` until it returns a true value, and returns this value."""
    while True:
        try:
            if seen := look():
                return seen
        except (OSError, requests.RequestException, ValueError):
            pass
        if time.monotonic() > deadline:
            sys.exit(f"the product did not come up:\n{open(f'{data}/log').read()}")
        time.sleep(0.05)


addresses = until(lambda: json.load(open(f"{data}/addresses.json")))
until(lambda: requests.get(f"{addresses['metrics']}/readyz", timeout=5).ok)
public = addresses["public"]
open(f"{data}/openapi.json", "w").write(requests.get(f"{public}/openapi.json", timeout=5).text)

# SignUp over gRPC-Web as text: each field is a tag, a length and the bytes of a string.
email = "ana@exemplo.com.br"
fields = [email, "segredo1", "Ana Maria Souza", "11987654321"]
message = b"".join(bytes([8 * n + 2, len(text)]) + text.encode() for n, text in enumerate(fields, 1))
framed = base64.b64encode(b"\0" + len(message).to_bytes(4, "big") + message)
signed_up = requests.post(
    f"{public}/garimpo.auth.v1.AuthService/SignUp",
    data=framed,
    headers={"content-type": "application/grpc-web-text"},
    timeout=10,
)
session = signed_up.cookies["garimpo_session"]
user = requests.get(f"{public}/api/auth/check-cookie", cookies={"garimpo_session": session}, timeout=5).json()["user"]


def checkout():
    """Opens a checkout, which fails until the catalogue is at the provider. Returns its client secret."""
    order = {"email": email, "planName": "Top Afiliado", "interval": "month"}
    path = "/create-embedded-checkout-session"
    response = requests.post(public + path, json=order, cookies={"garimpo_session": session}, timeout=20)
    return response.json().get("clientSecret")


secret = until(checkout)
admin = [garimpo, "admin", "token", "create", "schemathesis", "--scope", "users.read", "--scope", "tracking.write"]
printed = subprocess.run(admin, env=environment, check=True, capture_output=True, text=True).stdout
cast = {"uid": user["uid"], "email": email, "session_id": secret.split("_secret_")[0], "origin": public}
json.dump(cast, open(f"{data}/cast.json", "w"))
# A session token, because an ID token expires after an hour.
print(f"public={public} person={session} service={printed.split()[-1]}")
