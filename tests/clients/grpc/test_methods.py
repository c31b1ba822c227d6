"""Every method and every refusal, by grpcio and reflection alone, on both ports."""

import itertools
import unittest
import uuid

import grpc
from product import running, until
from reflected import Reflected, Refused

ENTITLEMENTS = "garimpo.billing.v1.EntitlementService"
INTERNAL_ALONE = {ENTITLEMENTS, "garimpo.billing.v1.WebhookService"}
ASKED = {
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
        cls.token_id, cls.token = cls.product.token("billing.read")

    def person(self):
        """Somebody new: uid, email and ID token."""
        email = f"{uuid.uuid4()}@exemplo.com.br"
        form = {"email": email, "password": "segredo1", "display_name": "Ana Souza"}
        told = self.public.call(auth("SignUp"), form)
        return told["user"]["uid"], email, told["id_token"]

    def refused(self, port, path, message=None, token=None):
        with self.assertRaises(Refused) as caught:
            answer = port.call(path, message, token)
            # A stream is refused with its first message.
            next(iter(answer)) if path.endswith("WatchEntitlements") else answer
        return caught.exception

    def test_the_public_port_shows_the_public_services_alone_and_the_internal_port_all(self):
        inside, outside = self.internal.services(), self.public.services()
        self.assertEqual(inside - outside, INTERNAL_ALONE)
        self.assertGreaterEqual(len(outside), 4)
        for path in self.internal.methods() - self.public.methods():
            told = self.refused(_Borrowed(self.public, self.internal), path, token=self.token)
            self.assertEqual((told.code, told.reason), (grpc.StatusCode.UNIMPLEMENTED, "UNIMPLEMENTED"), path)

    def test_every_method_of_every_service_is_served_on_each_of_its_ports(self):
        for port in (self.public, self.internal):
            _, _, token = self.person()
            # The end of the session comes last.
            for path in sorted(port.methods(), key=lambda path: "SignOut" in path):
                for who in (None, token):
                    try:
                        answer = port.call(path, token=who)
                        if not isinstance(answer, dict):
                            next(iter(answer))
                    except Refused as told:
                        self.assertIsNotNone(told.reason, f"{path}: {told}")
                        self.assertNotIn(told.reason, ["INTERNAL", "UNIMPLEMENTED", "UNAVAILABLE"], f"{path}: {told}")

    def test_a_life_over_reflection_alone(self):
        uid, email, token = self.person()
        session = self.public.call(auth("GetSession"), token=token)
        self.assertEqual((session["authenticated"], session["user"]["uid"]), (True, uid))
        record = self.public.call("garimpo.users.v1.UserService/GetUser", {"uid": uid}, token)["user"]
        self.assertEqual((record["first_name"], record["last_name"]), ("Ana", "Souza"))
        plans = {plan["id"]: plan for plan in self.public.call(billing("ListPlans"))["plans"]}
        self.assertEqual(plans["top_afiliado"]["prices"][0]["price_centavos"], "9790")
        before = self.ask("GetEntitlements", uid)
        self.assertEqual((before["plan_id"], before["status"]), ("profissional", "trialing"))

        order = {"email": email, "plan_name": "Top Afiliado", "interval": "month"}
        secret = until("the catalogue at the provider", lambda: self.opens(order, token))
        self.product.pays(secret)
        until("access", lambda: self.ask("GetEntitlements", uid)["status"] == "active")

        now = self.ask("GetEntitlements", uid)
        self.assertEqual(now["plan_id"], "top_afiliado")
        self.assertGreater(int(now["revision"]), int(before["revision"]))
        self.assertEqual({limit["resource"] for limit in now["limits"]} & {"queues", "routers"}, {"queues", "routers"})
        batch = self.internal.call(f"{ENTITLEMENTS}/BatchGetEntitlements", {"uids": [uid, "usr_x"]}, self.token)
        self.assertEqual((list(batch["entitlements"]), batch["not_found"]), ([uid], ["usr_x"]))
        self.assertTrue(self.ask("CheckLimit", uid)["allowed"])
        told = list(itertools.islice(self.ask("WatchEntitlements", uid), 2))
        self.assertEqual((told[0]["uid"], told[0]["entitlements"]["plan_id"]), (uid, "top_afiliado"))
        self.assertTrue(told[1]["cursor"] and not told[1]["uid"])
        invoices = self.public.call(billing("ListInvoices"), token=token)["invoices"]
        self.assertEqual([invoice["total_centavos"] for invoice in invoices], ["9790"])

    def opens(self, order, token):
        try:
            return self.public.call(billing("CreateCheckoutSession"), order, token)["client_secret"]
        except Refused as told:
            self.assertIn(told.reason, ["UNAVAILABLE", "PROVIDER_UNAVAILABLE"])

    def ask(self, method, uid):
        return self.internal.call(f"{ENTITLEMENTS}/{method}", ASKED[method](uid), self.token)

    def test_entitlements_are_told_to_a_live_token_with_the_scope_and_to_nobody_else(self):
        uid, _, person = self.person()
        _, other_scope = self.product.token("users.read")
        revoked_id, revoked = self.product.token("billing.read")
        self.product.admin("token", "revoke", revoked_id)
        for method, asked in ASKED.items():
            for token, expected in [
                (None, "UNAUTHENTICATED"),
                ("gv_made_up", "UNAUTHENTICATED"),
                (revoked, "UNAUTHENTICATED"),
                (person, "PERMISSION_DENIED"),
                (other_scope, "PERMISSION_DENIED"),
            ]:
                told = self.refused(self.internal, f"{ENTITLEMENTS}/{method}", asked(uid), token)
                self.assertEqual((told.code.name, told.reason), (expected, expected), f"{method} with {token}")

    def test_an_unknown_uid_and_wrong_fields_are_named(self):
        for method, asked in ASKED.items():
            path = f"{ENTITLEMENTS}/{method}"
            if method == "BatchGetEntitlements":
                told = self.internal.call(path, asked("usr_x"), self.token)
                self.assertEqual((told["entitlements"], told["not_found"]), ({}, ["usr_x"]))
            else:
                told = self.refused(self.internal, path, asked("usr_x"), self.token)
                self.assertEqual((told.code.name, told.reason), ("NOT_FOUND", "USER_NOT_FOUND"), method)
        wrong = {"uid": "", "resource": "groups", "wanted": -1}
        told = self.refused(self.internal, f"{ENTITLEMENTS}/CheckLimit", wrong, self.token)
        self.assertEqual((told.reason, told.fields), ("INVALID_ARGUMENT", ["uid", "resource", "wanted"]))
        form = {"email": "ana", "password": "x", "display_name": " ", "phone_number": "1"}
        told = self.refused(self.public, auth("SignUp"), form)
        self.assertEqual(told.fields, ["email", "password", "display_name", "phone_number"])

    def test_a_token_is_listed_with_its_last_use(self):
        self.refused(self.internal, f"{ENTITLEMENTS}/GetEntitlements", {"uid": "usr_x"}, self.token)
        row = next(line for line in self.product.admin("token", "list").splitlines() if self.token_id in line)
        self.assertRegex(row, r"billing\.read +20\d\d-\S+.* +20\d\d-")


class _Borrowed:
    """A port that is called with what another one shows: it shows less than is asked of it here."""

    def __init__(self, port, shown):
        self.client = Reflected.__new__(Reflected)
        self.client.channel, self.client.database, self.client.pool = port.channel, shown.database, shown.pool

    def call(self, *arguments):
        return self.client.call(*arguments)


if __name__ == "__main__":
    unittest.main()
