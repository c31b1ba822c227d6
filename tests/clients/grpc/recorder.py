"""A proxy in front of the sandbox that records the `traceparent` of each call to it."""

import http.client
import http.server
import threading


class Recorder:
    def __init__(self, target):
        calls = self.calls = []

        class Forwards(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self):
                calls.append((self.path.split("?")[0], self.headers.get("traceparent")))
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                upstream = http.client.HTTPConnection(target.removeprefix("http://"), timeout=30)
                try:
                    upstream.request(self.command, self.path, body, headers)
                    response = upstream.getresponse()
                    content = response.read()
                except (http.client.HTTPException, OSError):
                    # The sandbox was stopped, so this connection is closed too.
                    self.close_connection = True
                    return
                self.send_response(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                        self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                upstream.close()

            do_GET = do_POST = do_PUT = do_DELETE = forward

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forwards)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
