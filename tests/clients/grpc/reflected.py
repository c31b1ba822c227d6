"""A gRPC client that reads services, messages and error details by reflection."""

import grpc
from google.protobuf import descriptor_pool, json_format, message_factory
from google.rpc import status_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

DETAILS = "grpc-status-details-bin"


class Refused(Exception):
    """The error status of a call, with its decoded details."""

    def __init__(self, error, pool):
        self.code = error.code()
        self.message = error.details()
        self.details = dict(self._details(error, pool))
        super().__init__(f"{self.code.name} {self.reason}: {self.message}")

    @staticmethod
    def _details(error, pool):
        trailers = {key: value for key, value in error.trailing_metadata() or ()}
        for detail in status_pb2.Status.FromString(trailers.get(DETAILS, b"")).details:
            name = detail.type_url.rsplit("/", 1)[1]
            message = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
            yield name.rsplit(".", 1)[1], json_format.MessageToDict(message.FromString(detail.value))

    @property
    def reason(self):
        return self.details.get("ErrorInfo", {}).get("reason")

    @property
    def fields(self):
        return [violation["field"] for violation in self.details.get("BadRequest", {}).get("fieldViolations", [])]


class Reflected:
    def __init__(self, address):
        self.channel = grpc.insecure_channel(address)
        self.database = ProtoReflectionDescriptorDatabase(self.channel)
        self.pool = descriptor_pool.DescriptorPool(self.database)

    def services(self):
        return {name for name in self.database.get_services() if name.startswith("garimpo.")}

    def methods(self):
        """Returns `package.Service/Method` of every method that reflection lists."""
        return {
            f"{service}/{method.name}"
            for service in self.services()
            for method in self.pool.FindServiceByName(service).methods
        }

    def call(self, path, message=None, token=None, timeout=20):
        """Returns the response as a dict with the names of the proto, or an iterator of dicts for a stream."""
        service, name = path.split("/")
        method = self.pool.FindServiceByName(service).FindMethodByName(name)
        request_type, response_type = map(message_factory.GetMessageClass, (method.input_type, method.output_type))
        request = json_format.ParseDict(message or {}, request_type())
        metadata = [("authorization", f"Bearer {token}")] if token else None
        kind = self.channel.unary_stream if method.server_streaming else self.channel.unary_unary
        call = kind(f"/{path}", request_type.SerializeToString, response_type.FromString)
        if method.server_streaming:
            return self._responses(call, request, metadata, timeout)
        return next(self._responses(lambda *a, **k: iter([call(*a, **k)]), request, metadata, timeout))

    def _responses(self, call, request, metadata, timeout):
        try:
            for message in call(request, metadata=metadata, timeout=timeout):
                yield self._as_dict(message)
        except grpc.RpcError as error:
            raise Refused(error, self.pool) from None

    @staticmethod
    def _as_dict(message):
        return json_format.MessageToDict(
            message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
