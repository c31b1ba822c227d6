"""A collector of traces from third-party parts: grpcio and the messages of opentelemetry-proto."""

from concurrent import futures

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as pb
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as rpc

FAILED = 2


class Span:
    def __init__(self, resource, span):
        self.service, self.instance = resource["service.name"], resource["service.instance.id"]
        self.name, self.id, self.parent = span.name, span.span_id.hex(), span.parent_span_id.hex()
        self.trace, self.attributes = span.trace_id.hex(), values(span.attributes)
        self.has_failed = span.status.code == FAILED

    def __repr__(self):
        return f"{self.service} {self.name} {self.parent}>{self.id} {self.attributes}"


def values(attributes):
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


class Collector(rpc.TraceServiceServicer):
    def __init__(self):
        self.spans, self.raw = [], b""
        self.server = grpc.server(futures.ThreadPoolExecutor(4))
        rpc.add_TraceServiceServicer_to_server(self, self.server)
        self.url = f"http://127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def Export(self, request, context):
        self.raw += request.SerializeToString()
        for resource in request.resource_spans:
            of = values(resource.resource.attributes)
            self.spans += [Span(of, span) for scope in resource.scope_spans for span in scope.spans]
        return pb.ExportTraceServiceResponse()

    def of(self, trace, name):
        """Returns the spans of a trace that have a name."""
        return [span for span in list(self.spans) if (span.trace, span.name) == (trace, name)]

    def stop(self):
        self.server.stop(None).wait()
