import type { Attributes, Context, Link, Span } from '@opentelemetry/api';
import { PAYMENTS_VERSION } from '../../payments-version.js';
import { errorType } from './error-type.js';
import { telemetryApi, type TelemetryApi } from './telemetry-api.js';
import { CONVENTION, SCOPE } from './telemetry-names.js';
import { readTraceparent } from './trace-parent.js';

/** Kinds of spans that we make. A `server` span within another one is `internal`: the host's instrumentation of HTTP has made that. */
export type Kind = 'client' | 'server' | 'consumer' | 'internal';

/** What a span is about. */
export interface SpanOf {
  name: string;
  kind: Kind;
  attributes: Attributes;
  /** The stored spans that it was caused by. */
  links?: readonly (string | undefined)[];
  /** `continues`: the stored span that it follows, in the same trace. `alone`: it begins a trace. Absent: it is part of the active span. */
  trace?: 'alone' | { continues: string | undefined };
  /** When it began, if that was before now. */
  startedAt?: number;
}

/** A span while it runs. */
export interface RunningSpan {
  set(attributes: Attributes): void;
  /** Says that it failed. Never the text of an error: that may have what a customer, the platform or the host wrote. */
  fail(type: string): void;
}

/** While nobody listens. */
const UNHEARD: RunningSpan = { set: () => undefined, fail: () => undefined };

/** The traces and spans that a span is linked with already: several changes of one operation may follow in it. */
const linked = new WeakMap<Span, Set<string>>();

/** Runs work in a span. The span fails when the work throws. Without an SDK it only runs the work. */
export async function inSpan<T>(of: SpanOf, work: (span: RunningSpan) => Promise<T>): Promise<T> {
  const api = telemetryApi();
  if (!api) return work(UNHEARD);
  const { context, INVALID_SPAN_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const parent = parentOf(api, of);
  const kind = of.kind === 'server' && trace.getSpan(parent) ? 'internal' : of.kind;
  const links = linksTo(of.links ?? []);
  const span = trace.getTracer(SCOPE, PAYMENTS_VERSION).startSpan(
    of.name,
    {
      kind: SpanKind[kind.toUpperCase() as Uppercase<Kind>],
      attributes: of.attributes,
      links,
      ...(of.startedAt !== undefined && { startTime: of.startedAt }),
    },
    parent,
  );
  // Only metrics have an SDK.
  if (span.spanContext() === INVALID_SPAN_CONTEXT) return work(UNHEARD);
  linked.set(span, new Set(links.map(nameOf)));
  const running: RunningSpan = {
    set: (attributes) => void span.setAttributes(attributes),
    fail: (type) =>
      void span.setAttribute(CONVENTION.errorType, type).setStatus({ code: SpanStatusCode.ERROR }),
  };
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, running);
  } catch (error) {
    running.fail(errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Adds to the active span a link to the stored span of what it is about, unless that is of the same trace. */
export function linkActiveSpan(traceparent: string | undefined, attributes: Attributes): void {
  const span = telemetryApi()?.trace.getActiveSpan();
  if (!span?.isRecording()) return;
  span.setAttributes(attributes);
  const to = readTraceparent(traceparent);
  if (!to || to.traceId === span.spanContext().traceId) return;
  const before = linked.get(span) ?? new Set();
  linked.set(span, before);
  const link = { context: to };
  if (before.has(nameOf(link))) return;
  before.add(nameOf(link));
  span.addLink(link);
}

function nameOf({ context: { traceId, spanId } }: Link): string {
  return `${traceId} ${spanId}`;
}

function parentOf({ context, ROOT_CONTEXT, trace }: TelemetryApi, { trace: of }: SpanOf): Context {
  if (of === undefined) return context.active();
  const followed = of === 'alone' ? undefined : readTraceparent(of.continues);
  return followed ? trace.setSpanContext(ROOT_CONTEXT, followed) : ROOT_CONTEXT;
}

function linksTo(traceparents: readonly (string | undefined)[]): Link[] {
  return traceparents.flatMap((text) => {
    const linked = readTraceparent(text);
    return linked ? [{ context: linked }] : [];
  });
}
