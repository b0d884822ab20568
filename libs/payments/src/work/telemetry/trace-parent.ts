import { isSpanContextValid, trace, TraceFlags, type SpanContext } from '@opentelemetry/api';

/** @see https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The span that is active now, as it is stored with what it writes. Undefined when none is. */
export function currentTraceparent(): string | undefined {
  const context = trace.getActiveSpan()?.spanContext();
  if (!context || !isSpanContextValid(context)) return undefined;
  const flags = (context.traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  return `00-${context.traceId}-${context.spanId}-${flags}`;
}

/** A stored span; undefined when there is none. */
export function readTraceparent(text: string | null | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
