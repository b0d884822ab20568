/** A metric of the library, as an SDK exports it. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'histogram' | 'gauge';
  /** The unit in the code of UCUM, as the semantic conventions write it. */
  readonly unit: string;
  readonly description: string;
  /** The names of its attributes, without the one of the account. */
  readonly attributes: readonly string[];
  /** Upper limits of the buckets of a histogram. */
  readonly boundaries?: number[];
}

/** These limits are of the semantic conventions, for requests and for the work on a message. */
const DURATION_S = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** A customer answers within a minute, a read comes after 20 s, a sweep after 15 minutes, a person after hours. */
const OUTCOME_S = [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 900, 3_600, 21_600, 86_400];

/**
 * Every metric of the library. Values of attributes come from lists of ours or of the code of the host, and never from the platform or an
 * outsider: a metric has as many time series as its attributes have combinations.
 * @see docs/observability.md#metrics
 */
export const METRICS = {
  requestDuration: {
    name: 'http.client.request.duration',
    type: 'histogram',
    unit: 's',
    description: 'Duration of requests to the platform, each attempt on its own',
    attributes: [
      'http.request.method',
      'server.address',
      'server.port',
      'url.template',
      'http.response.status_code',
      'error.type',
      'tillkit.call',
    ],
    boundaries: DURATION_S,
  },
  retries: {
    name: 'tillkit.platform.retries',
    type: 'counter',
    unit: '{retry}',
    description: 'Requests to the platform that were repeated, by the error before',
    attributes: ['error.type'],
  },
  tokenRenewals: {
    name: 'tillkit.token.renewals',
    type: 'counter',
    unit: '{renewal}',
    description: 'Renewals of access tokens, by their error',
    attributes: ['error.type'],
  },
  deliveries: {
    name: 'tillkit.deliveries',
    type: 'counter',
    unit: '{delivery}',
    description: 'Received deliveries, by what we answered and why',
    attributes: ['tillkit.delivery.kind', 'tillkit.delivery.verdict'],
  },
  processDuration: {
    name: 'messaging.process.duration',
    type: 'histogram',
    unit: 's',
    description: 'Duration of the work on a stored delivery, and of listener calls',
    attributes: [
      'messaging.system',
      'messaging.operation.name',
      'messaging.destination.name',
      'messaging.consumer.group.name',
      'error.type',
      'tillkit.outcome',
    ],
    boundaries: DURATION_S,
  },
  outcomes: {
    name: 'tillkit.operation.outcomes',
    type: 'counter',
    unit: '{operation}',
    description: 'Operations that settled, by state, reason and source of the evidence',
    attributes: [
      'tillkit.operation.kind',
      'tillkit.operation.state',
      'tillkit.operation.reason',
      'tillkit.via',
    ],
  },
  timeToOutcome: {
    name: 'tillkit.operation.time_to_outcome',
    type: 'histogram',
    unit: 's',
    description: 'Time from the recording of an operation until it settled',
    attributes: ['tillkit.operation.kind', 'tillkit.operation.state'],
    boundaries: OUTCOME_S,
  },
  sweepDuration: {
    name: 'tillkit.sweep.duration',
    type: 'histogram',
    unit: 's',
    description: 'Duration of sweeps for transactions at tills',
    attributes: ['error.type'],
    boundaries: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600],
  },
  anomalies: {
    name: 'tillkit.anomalies',
    type: 'counter',
    unit: '{anomaly}',
    description: 'Anomalies that were recorded, by their kind',
    attributes: ['tillkit.anomaly'],
  },
  backlog: {
    name: 'tillkit.backlog',
    type: 'gauge',
    unit: '{item}',
    description: 'Work that waits in the store',
    attributes: ['tillkit.queue'],
  },
  backlogAge: {
    name: 'tillkit.backlog.age',
    type: 'gauge',
    unit: 's',
    description: 'Age of the oldest work that waits in the store; 0 when none waits',
    attributes: ['tillkit.queue'],
  },
  storeUp: {
    name: 'tillkit.store.up',
    type: 'gauge',
    unit: '{answer}',
    description: 'Whether the store answered the last time that its statistics were read',
    attributes: [],
  },
  circuitsOpen: {
    name: 'tillkit.circuit.open',
    type: 'gauge',
    unit: '{account}',
    description: 'Accounts whose circuit breaker is open in this process',
    attributes: [],
  },
  lostLogLines: {
    name: 'tillkit.log.lost',
    type: 'counter',
    unit: '{line}',
    description: 'Lines that the logger of the host threw on',
    attributes: [],
  },
  pauses: {
    name: 'tillkit.sending.pauses',
    type: 'gauge',
    unit: '{pause}',
    description: 'Pauses of sending, of one account or of all',
    attributes: [],
  },
} as const satisfies Record<string, Metric>;

/** Name of our tracer and meter: the instrumentation scope of every span and metric. */
export const SCOPE = '@tillkit/payments';

/** Names of attributes that no semantic convention has. @see docs/observability.md#attributes */
export const ATTRIBUTE = {
  account: 'tillkit.account',
  /** The call of the platform: `create incoming payment`. */
  call: 'tillkit.call',
  operationId: 'tillkit.operation.id',
  operationKind: 'tillkit.operation.kind',
  operationState: 'tillkit.operation.state',
  operationReason: 'tillkit.operation.reason',
  via: 'tillkit.via',
  deliveryId: 'tillkit.delivery.id',
  deliveryKind: 'tillkit.delivery.kind',
  deliveryVerdict: 'tillkit.delivery.verdict',
  /** Says how a claim of work ended: `done`, `retry` or `given_up`. */
  outcome: 'tillkit.outcome',
  attempt: 'tillkit.attempt',
  anomaly: 'tillkit.anomaly',
  queue: 'tillkit.queue',
} as const;

/** Names of the semantic conventions that we use. @see https://opentelemetry.io/docs/specs/semconv/ */
export const CONVENTION = {
  method: 'http.request.method',
  status: 'http.response.status_code',
  route: 'http.route',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  urlFull: 'url.full',
  urlTemplate: 'url.template',
  errorType: 'error.type',
  messagingSystem: 'messaging.system',
  messagingOperation: 'messaging.operation.name',
  messagingOperationType: 'messaging.operation.type',
  messagingDestination: 'messaging.destination.name',
  messagingConsumerGroup: 'messaging.consumer.group.name',
  messagingMessageId: 'messaging.message.id',
  messagingBatch: 'messaging.batch.message_count',
} as const;
