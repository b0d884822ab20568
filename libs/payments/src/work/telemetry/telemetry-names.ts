/** Name of our tracer and meter: the instrumentation scope of every span and metric. */
export const SCOPE = '@tillkit/payments';

/** Names of attributes that no semantic convention has. @see docs/observability.md#attributes */
export const ATTRIBUTE = {
  account: 'tillkit.account',
  /** What is asked of the platform: `create incoming payment`. */
  call: 'tillkit.call',
  operationId: 'tillkit.operation.id',
  operationKind: 'tillkit.operation.kind',
  operationState: 'tillkit.operation.state',
  operationReason: 'tillkit.operation.reason',
  via: 'tillkit.via',
  deliveryId: 'tillkit.delivery.id',
  deliveryKind: 'tillkit.delivery.kind',
  deliveryVerdict: 'tillkit.delivery.verdict',
  /** How a claim of work ended: `done`, `retry` or `given_up`. */
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
