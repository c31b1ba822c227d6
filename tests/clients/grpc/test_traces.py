"""Traces of a sandbox and a serving process, as an independent collector receives them."""

import json
import socket
import unittest
import urllib.error
import urllib.request
import uuid

from collector import Collector
from product import Product, until
from recorder import Recorder
from reflected import Reflected

CREATE = "garimpo.billing.v1.BillingService/CreateCheckoutSession"
STATUS = "garimpo.billing.v1.BillingService/GetCheckoutSession"
NAME, PASSWORD = "Ana Souza", "segredo-da-ana"
SPANS = 'garimpo_trace_spans_total{outcome="failed"} '


def free_address():
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{port.getsockname()[1]}"


def call(url, message=None, **headers):
    body = None if message is None else json.dumps(message).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"} | headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.loads(response.read())


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.collector = Collector()
        public, grpc = free_address(), free_address()
        cls.sandbox = Product("sandbox", {"GARIMPO_SANDBOX_WEBHOOK": f"http://{public}/webhooks/stripe"})
        cls.recorder = Recorder(cls.sandbox.addresses["sandbox"])
        settings = {
            "GARIMPO_LISTEN": public,
            "GARIMPO_GRPC_LISTEN": grpc,
            "GARIMPO_PUBLIC_URL": f"http://{public}",
            "GARIMPO_SANDBOX_URL": cls.recorder.url,
            "GARIMPO_SANDBOX_LISTEN": "off",
            "GARIMPO_TRACES_URL": cls.collector.url,
            # Records only the traces that a client requests by its traceparent.
            "GARIMPO_TRACES_RATIO": "0",
        }
        cls.product = Product("serve", settings)
        cls.url, cls.traces = f"http://{public}", set()

    @classmethod
    def tearDownClass(cls):
        for process in (cls.product, cls.sandbox):
            process.stop()
        cls.recorder.stop()
        cls.collector.stop()

    def buy(self, trace):
        """Signs up, opens a checkout and pays it, in the trace of the client's traceparent."""
        self.traces.add(trace)
        headers = {"traceparent": f"00-{trace}-{'b' * 16}-01", "tracestate": "x=segredo"}
        email = f"{uuid.uuid4()}@exemplo.com.br"
        port = Reflected(self.product.public)
        signed_up = port.call(
            "garimpo.auth.v1.AuthService/SignUp", {"email": email, "password": PASSWORD, "display_name": NAME}
        )
        form = {"email": email, "planName": "Elite Nível 1", "interval": "mensal"}
        allowed = headers | {"authorization": f"Bearer {signed_up['id_token']}"}
        opened = until("the catalogue at the provider", lambda: self.open_checkout(form, allowed))
        session = self.sandbox.pay(opened["clientSecret"])
        status = f"{self.url}/session-status?session_id={session}"
        until("the payment", lambda: call(status, **headers)["status"] == "complete")
        return [email, signed_up["user"]["uid"], signed_up["id_token"], session]

    def open_checkout(self, form, headers):
        try:
            return call(f"{self.url}/create-embedded-checkout-session", form, **headers)
        except urllib.error.HTTPError as error:
            assert error.code == 503, error
            return None

    def span(self, trace, name, service, is_wanted=lambda span: True):
        found = lambda: [span for span in self.collector.of(trace, name) if is_wanted(span)]
        span = until(f"the span {name}", found)[-1]
        self.assertEqual(span.service, service, span)
        return span

    def test_a_paid_checkout_is_one_trace_through_gateway_server_job_and_provider(self):
        trace = uuid.uuid4().hex
        # Without webhooks, because payment events would sync the account first, in other traces.
        self.sandbox.post("/_test/faults", {"webhooks": "hold"})
        personal = self.buy(trace)

        succeeded = lambda span: not span.has_failed
        gateway = self.span(trace, "POST /create-embedded-checkout-session", "garimpo", succeeded)
        server = self.span(trace, CREATE, "garimpo", succeeded)
        called = self.span(trace, "checkout_create", "garimpo", succeeded)
        self.assertEqual([gateway.parent, server.parent, called.parent], ["b" * 16, gateway.id, server.id])
        job = self.span(trace, "process mail", "garimpo")
        self.assertIn(job.parent, [span.id for span in self.collector.of(trace, STATUS)])
        mailed = self.span(trace, "mail_send", "garimpo")
        self.assertEqual(mailed.parent, job.id)
        self.assertIn(("/mail", f"00-{trace}-{mailed.id}-01"), self.recorder.calls)
        self.assertEqual(gateway.attributes["http.route"], "/create-embedded-checkout-session")
        self.assertEqual(gateway.attributes["request.id"], server.attributes["request.id"])
        # No other request was recorded.
        requests = {span.trace for span in self.collector.spans if "http.route" in span.attributes}
        self.assertLessEqual(requests, self.traces)
        for text in [*personal, NAME, PASSWORD, "exemplo.com.br", "sk_test", "segredo", "127.0.0.1"]:
            self.assertNotIn(text.encode(), self.collector.raw, text)
        self.sandbox.post("/_test/faults", None, "DELETE")

    def test_a_job_continues_its_trace_after_a_crash(self):
        trace = uuid.uuid4().hex
        self.sandbox.post("/_test/faults", {"webhooks": "hold"})
        self.sandbox.post("/_test/faults", {"path": "/mail", "status": 503, "times": 1000})
        self.buy(trace)
        failed = self.span(trace, "process mail", "garimpo")
        self.assertTrue(failed.has_failed, failed)

        self.product.kill()
        self.sandbox.post("/_test/faults", None, "DELETE")
        self.product.start()

        done = self.span(trace, "process mail", "garimpo", lambda span: not span.has_failed)
        self.assertNotEqual(done.instance, failed.instance)
        self.assertEqual(done.parent, failed.parent)


class SilentCollector(unittest.TestCase):
    def test_a_silent_collector_delays_no_response_and_lost_spans_are_counted(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            product = Product(settings={"GARIMPO_TRACES_URL": url, "GARIMPO_TRACES_RATIO": "1"})
            # An export gives up after 5 s. A reply that waited for it would be later than this.
            for _ in range(100):
                urllib.request.urlopen(f"{product.addresses['public']}/openapi.json", timeout=4).read()
            metrics = lambda: urllib.request.urlopen(f"{product.addresses['metrics']}/metrics").read().decode()
            lost = lambda: [line for line in metrics().splitlines() if line.startswith(SPANS) and line[-2:] != " 0"]
            until("lost spans", lost)
            product.stop()


if __name__ == "__main__":
    unittest.main()
