import type { Attributes, Context, Link, Span, SpanContext } from '@opentelemetry/api';
import { PAYMENTS_VERSION } from '../../payments-version.js';
import { ATTRIBUTE, CONVENTION, METRICS, SCOPE } from './metrics-list.js';
import { record } from './metrics.js';
import { errorType, telemetryApi, type TelemetryApi } from './telemetry.js';

/** Kinds of spans that we make. A `server` span within another one is `internal`: the host's instrumentation of HTTP has made that. */
type Kind = 'client' | 'server' | 'consumer' | 'internal';

/** Says what a span is about. */
export interface SpanOf {
  name: string;
  kind: Kind;
  attributes: Attributes;
  /** The stored spans that it was caused by. */
  links?: readonly (string | undefined)[];
  /** `continues`: the stored span that it follows, in the same trace. `alone`: it begins a trace. Absent: it is part of the active span. */
  trace?: 'alone' | { continues: string | undefined };
  /** The time when it began, if that was before now. */
  startedAt?: number;
}

/** A span while it runs. */
interface RunningSpan {
  set(attributes: Attributes): void;
  /** Says that the work failed. It never gets the text of an error, which may have what a customer, the platform or the host wrote. */
  fail(type: string): void;
}

/** Stands for a span while nobody listens. */
const NO_SPAN: RunningSpan = { set: () => undefined, fail: () => undefined };

/** The traces and spans that a span is linked with already: several changes of one operation may follow in it. */
const linked = new WeakMap<Span, Set<string>>();

/** Runs work in a span. The span fails when the work throws. Without an SDK it only runs the work. */
export async function inSpan<T>(of: SpanOf, work: (span: RunningSpan) => Promise<T>): Promise<T> {
  const api = telemetryApi();
  if (!api) return work(NO_SPAN);
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
  // The SDK is for metrics only.
  if (span.spanContext() === INVALID_SPAN_CONTEXT) return work(NO_SPAN);
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

/** @see https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Returns the span that is active now, as it is stored with what it writes. Undefined when none is. */
export function currentTraceparent(): string | undefined {
  const api = telemetryApi();
  const context = api?.trace.getActiveSpan()?.spanContext();
  if (!api || !context || !api.isSpanContextValid(context)) return undefined;
  const flags = (context.traceFlags & api.TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  return `00-${context.traceId}-${context.spanId}-${flags}`;
}

/** Returns a stored span; undefined when there is none. */
export function readTraceparent(text: string | null | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** Says how the work on a message ended. `error` has the type of what failed, where something did. */
export interface Outcome {
  kind: 'done' | 'retry' | 'given_up';
  error?: string;
}

/** A message, in the words of the semantic conventions: a stored delivery, or an event for one listener. */
interface ProcessedMessage {
  /** The message is of this: the queue of deliveries, or the name of the event. */
  destination: string;
  /** Id of the listener. */
  consumer?: string;
  messageId: string;
  /** The stored span in which it was written. */
  traceparent: string | undefined;
  /** Claims that have ended with an outcome, and this one. */
  attempts: number;
  /** Attributes of the metric beside those of the message. */
  account: Attributes;
  /** Attributes of the span beside those of the message. */
  more: Attributes;
}

/**
 * Runs the work on a message as a span, and measures it. The first attempt continues the trace in which the message was written. A later
 * one, which may come days after, begins a trace that is linked with it.
 */
export async function processed(
  { destination, consumer, messageId, traceparent, attempts, account, more }: ProcessedMessage,
  clock: { elapsed(): number },
  work: () => Promise<Outcome>,
): Promise<void> {
  const beganAt = clock.elapsed();
  const attributes = {
    [CONVENTION.messagingSystem]: 'tillkit',
    [CONVENTION.messagingOperation]: 'process',
    [CONVENTION.messagingDestination]: destination,
    ...(consumer !== undefined && { [CONVENTION.messagingConsumerGroup]: consumer }),
  };
  const isFirst = attempts <= 1;
  const of = {
    name: `process ${destination}`,
    kind: 'consumer',
    trace: isFirst ? { continues: traceparent } : 'alone',
    ...(!isFirst && { links: [traceparent] }),
    attributes: {
      ...attributes,
      [CONVENTION.messagingOperationType]: 'process',
      [CONVENTION.messagingMessageId]: messageId,
      [ATTRIBUTE.attempt]: attempts,
      ...more,
    },
  } as const;
  let result: Attributes = {};
  try {
    await inSpan(of, async (span) => {
      const { kind, error } = await work();
      result = { [ATTRIBUTE.outcome]: kind };
      span.set(result);
      if (error === undefined) return;
      result[CONVENTION.errorType] = error;
      span.fail(error);
    });
  } catch (error) {
    result = { [CONVENTION.errorType]: errorType(error) };
    throw error;
  } finally {
    record(METRICS.processDuration, clock.elapsed() - beganAt, {
      ...attributes,
      ...result,
      ...account,
    });
  }
}
