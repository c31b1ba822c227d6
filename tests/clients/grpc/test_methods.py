"""Calls every method on both ports by grpcio and reflection, with and without rights."""

import itertools
import unittest
import uuid

import grpc
from product import running, until
from reflected import Reflected, Refused

ENTITLEMENTS = "garimpo.billing.v1.EntitlementService"
INTERNAL_ONLY = {ENTITLEMENTS}
REQUESTS = {
    "GetEntitlements": lambda uid: {"uid": uid},
    "BatchGetEntitlements": lambda uid: {"uids": [uid]},
    "CheckLimit": lambda uid: {"uid": uid, "resource": "queues", "wanted": 1},
    "WatchEntitlements": lambda uid: {"uids": [uid]},
}


def auth(method):
    return f"garimpo.auth.v1.AuthService/{method}"


def billing(method):
    return f"garimpo.billing.v1.BillingService/{method}"


class Methods(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.product = running()
        cls.public, cls.internal = Reflected(cls.product.public), Reflected(cls.product.internal)
        cls.token_id, cls.token = cls.product.create_token("billing.read")

    def sign_up(self):
        """Creates an account. Returns its uid, email and ID token."""
        email = f"{uuid.uuid4()}@exemplo.com.br"
        form = {"email": email, "password": "segredo1", "display_name": "Ana Souza"}
        reply = self.public.call(auth("SignUp"), form)
        return reply["user"]["uid"], email, reply["id_token"]

    def call_refused(self, port, path, message=None, token=None):
        with self.assertRaises(Refused) as caught:
            reply = port.call(path, message, token)
            # A refused stream fails when its first message is read.
            next(iter(reply)) if path.endswith("WatchEntitlements") else reply
        return caught.exception

    def test_the_public_port_lists_only_public_services_and_the_internal_port_lists_all(self):
        inside, outside = self.internal.services(), self.public.services()
        self.assertEqual(inside - outside, INTERNAL_ONLY)
        self.assertGreaterEqual(len(outside), 4)
        for path in self.internal.methods() - self.public.methods():
            error = self.call_refused(_WithDescriptors(self.public, self.internal), path, token=self.token)
            self.assertEqual((error.code, error.reason), (grpc.StatusCode.UNIMPLEMENTED, "UNIMPLEMENTED"), path)

    def test_every_method_of_every_service_is_served_on_each_of_its_ports(self):
        for port in (self.public, self.internal):
            _, _, token = self.sign_up()
            # SignOut comes last, because it ends the session.
            for path in sorted(port.methods(), key=lambda path: "SignOut" in path):
                for caller in (None, token):
                    try:
                        reply = port.call(path, token=caller)
                        if not isinstance(reply, dict):
                            next(iter(reply))
                    except Refused as error:
                        self.assertIsNotNone(error.reason, f"{path}: {error}")
                        self.assertNotIn(error.reason, ["INTERNAL", "UNIMPLEMENTED", "UNAVAILABLE"], f"{path}: {error}")

    def test_a_purchase_by_reflection_gives_access(self):
        uid, email, token = self.sign_up()
        session = self.public.call(auth("GetSession"), token=token)
        self.assertEqual((session["authenticated"], session["user"]["uid"]), (True, uid))
        record = self.public.call("garimpo.users.v1.UserService/GetUser", {"uid": uid}, token)["user"]
        self.assertEqual((record["first_name"], record["last_name"]), ("Ana", "Souza"))
        plans = {plan["id"]: plan for plan in self.public.call(billing("ListPlans"))["plans"]}
        self.assertEqual(plans["top_afiliado"]["prices"][0]["price_centavos"], "9790")
        before = self.call_entitlements("GetEntitlements", uid)
        self.assertEqual((before["plan_id"], before["status"]), ("profissional", "trialing"))

        order = {"email": email, "plan_name": "Top Afiliado", "interval": "month"}
        secret = until("the catalogue at the provider", lambda: self.open_checkout(order, token))
        self.product.pay(secret)
        until("access", lambda: self.call_entitlements("GetEntitlements", uid)["status"] == "active")

        now = self.call_entitlements("GetEntitlements", uid)
        self.assertEqual(now["plan_id"], "top_afiliado")
        self.assertGreater(int(now["revision"]), int(before["revision"]))
        self.assertEqual({limit["resource"] for limit in now["limits"]} & {"queues", "routers"}, {"queues", "routers"})
        batch = self.internal.call(f"{ENTITLEMENTS}/BatchGetEntitlements", {"uids": [uid, "usr_x"]}, self.token)
        self.assertEqual((list(batch["entitlements"]), batch["not_found"]), ([uid], ["usr_x"]))
        self.assertTrue(self.call_entitlements("CheckLimit", uid)["allowed"])
        messages = list(itertools.islice(self.call_entitlements("WatchEntitlements", uid), 2))
        self.assertEqual((messages[0]["uid"], messages[0]["entitlements"]["plan_id"]), (uid, "top_afiliado"))
        self.assertTrue(messages[1]["cursor"] and not messages[1]["uid"])
        invoices = self.public.call(billing("ListInvoices"), token=token)["invoices"]
        self.assertEqual([invoice["total_centavos"] for invoice in invoices], ["9790"])

    def open_checkout(self, order, token):
        try:
            return self.public.call(billing("CreateCheckoutSession"), order, token)["client_secret"]
        except Refused as error:
            self.assertIn(error.reason, ["UNAVAILABLE", "PROVIDER_UNAVAILABLE"])

    def call_entitlements(self, method, uid):
        return self.internal.call(f"{ENTITLEMENTS}/{method}", REQUESTS[method](uid), self.token)

    def test_only_a_valid_token_with_the_scope_reads_entitlements(self):
        uid, _, person = self.sign_up()
        _, other_scope = self.product.create_token("users.read")
        revoked_id, revoked = self.product.create_token("billing.read")
        self.product.admin("token", "revoke", revoked_id)
        for method, request in REQUESTS.items():
            for token, expected in [
                (None, "UNAUTHENTICATED"),
                ("gv_made_up", "UNAUTHENTICATED"),
                (revoked, "UNAUTHENTICATED"),
                (person, "PERMISSION_DENIED"),
                (other_scope, "PERMISSION_DENIED"),
            ]:
                error = self.call_refused(self.internal, f"{ENTITLEMENTS}/{method}", request(uid), token)
                self.assertEqual((error.code.name, error.reason), (expected, expected), f"{method} with {token}")

    def test_an_unknown_uid_and_wrong_fields_are_named(self):
        for method, request in REQUESTS.items():
            path = f"{ENTITLEMENTS}/{method}"
            if method == "BatchGetEntitlements":
                reply = self.internal.call(path, request("usr_x"), self.token)
                self.assertEqual((reply["entitlements"], reply["not_found"]), ({}, ["usr_x"]))
            else:
                error = self.call_refused(self.internal, path, request("usr_x"), self.token)
                self.assertEqual((error.code.name, error.reason), ("NOT_FOUND", "USER_NOT_FOUND"), method)
        wrong = {"uid": "", "resource": "groups", "wanted": -1}
        error = self.call_refused(self.internal, f"{ENTITLEMENTS}/CheckLimit", wrong, self.token)
        self.assertEqual((error.reason, error.fields), ("INVALID_ARGUMENT", ["uid", "resource", "wanted"]))
        form = {"email": "ana", "password": "x", "display_name": " ", "phone_number": "1"}
        error = self.call_refused(self.public, auth("SignUp"), form)
        self.assertEqual(error.fields, ["email", "password", "display_name", "phone_number"])

    def test_a_token_is_listed_with_its_last_use(self):
        self.call_refused(self.internal, f"{ENTITLEMENTS}/GetEntitlements", {"uid": "usr_x"}, self.token)
        row = next(line for line in self.product.admin("token", "list").splitlines() if self.token_id in line)
        self.assertRegex(row, r"billing\.read +20\d\d-\S+.* +20\d\d-")


class _WithDescriptors:
    """A port that is called by the descriptors of another port, because its own reflection lists fewer methods."""

    def __init__(self, port, listed):
        self.client = Reflected.__new__(Reflected)
        self.client.channel, self.client.database, self.client.pool = port.channel, listed.database, listed.pool

    def call(self, *arguments):
        return self.client.call(*arguments)


if __name__ == "__main__":
    unittest.main()
