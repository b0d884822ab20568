import type { SpanOf } from '../work/telemetry/spans.js';
import { ATTRIBUTE } from '../work/telemetry/telemetry-names.js';
import type { Operation } from '../store/operation.js';

/** The span of background work on an operation. It is a trace of its own, linked with the request: days may be between them. */
export function spanOf(
  { account, id, kind, state, traceparent }: Operation,
  work: 'reconcile' | 'follow',
): SpanOf {
  return {
    name: `${work} ${kind}`,
    kind: 'internal',
    trace: 'alone',
    links: [traceparent],
    attributes: {
      [ATTRIBUTE.account]: account,
      [ATTRIBUTE.operationId]: id,
      [ATTRIBUTE.operationKind]: kind,
      [ATTRIBUTE.operationState]: state,
    },
  };
}
