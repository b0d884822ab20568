import type { SpanContext } from '@opentelemetry/api';
import { telemetryApi } from './telemetry-api.js';

/** @see https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The span that is active now, as it is stored with what it writes. Undefined when none is. */
export function currentTraceparent(): string | undefined {
  const api = telemetryApi();
  const context = api?.trace.getActiveSpan()?.spanContext();
  if (!api || !context || !api.isSpanContextValid(context)) return undefined;
  const flags = (context.traceFlags & api.TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  return `00-${context.traceId}-${context.spanId}-${flags}`;
}

/** A stored span; undefined when there is none. */
export function readTraceparent(text: string | null | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
