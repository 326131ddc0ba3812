"""Where OpenTelemetry spans go. Needs the extra `otel`, so that it is imported only where an endpoint is set."""

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

from app.tracing import trace_id


class ByInvestigation(RandomIdGenerator):
    """A run's trace has the investigation's id."""

    def generate_trace_id(self) -> int:
        """The id of the run that goes on, else a random one."""
        return trace_id.get() or super().generate_trace_id()


def to_collector(endpoint: str) -> SpanProcessor:
    """Sends spans in batches from a thread of its own; a collector that is away loses them and nothing else."""
    return BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, timeout=5))


def set_up(processor: SpanProcessor) -> TracerProvider:
    """Spans go to the processor from now on; `shutdown()` sends what is left."""
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: "fishbone"}), id_generator=ByInvestigation())
    provider.add_span_processor(processor)
    trace.set_tracer_provider(provider)
    return provider
