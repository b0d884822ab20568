import type { Attributes } from '@opentelemetry/api';
import { METRICS } from './metrics-list.js';
import { record } from './metrics.js';
import { inSpan } from './spans.js';
import { ATTRIBUTE, CONVENTION } from './telemetry-names.js';
import { errorType } from './error-type.js';

/** How the work on a message ended. `error` has the type of what failed, where something did. */
export interface Outcome {
  kind: 'done' | 'retry' | 'given_up';
  error?: string;
}

/** A message, in the words of the semantic conventions: a stored delivery, or an event for one listener. */
export interface ProcessedMessage {
  /** What the message is of: the queue of deliveries, or the name of the event. */
  destination: string;
  /** Id of the listener. */
  consumer?: string;
  messageId: string;
  /** The stored span in which it was written. */
  traceparent: string | undefined;
  /** Claims so far, this one included. */
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
