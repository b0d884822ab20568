/** A fault changes one of these. The simulator decides once for each of them whether it injects the fault. */
export type FaultTarget = 'delivery' | 'attempt' | 'content' | 'create' | 'read' | 'token' | 'api';

/** The parameters of a fault. Each kind uses those that `defaults` or the summary names. */
export interface FaultOptions {
  /** The number of extra copies (`duplicate`). */
  times?: number;
  /** A delay in milliseconds on the simulator's clock. */
  ms?: number;
  /** The HTTP status of the answer. */
  status?: number;
  /** Seconds in `Retry-After`. */
  retryAfter?: number;
  /** The status of the payment (`unknown-status`). */
  paymentStatus?: string;
  /** True when the platform carries the request out (`create-408`). */
  commits?: boolean;
}

/** The pages, the README and the control API show a fault by these facts. */
export interface FaultDescription {
  readonly target: FaultTarget;
  readonly summary: string;
  readonly defaults: Readonly<FaultOptions>;
  /** The parameters that the fault uses, also those without a default. */
  readonly parameters: readonly (keyof FaultOptions)[];
}

const fault = (
  target: FaultTarget,
  summary: string,
  defaults: FaultOptions = {},
  parameters = Object.keys(defaults) as (keyof FaultOptions)[],
): FaultDescription => ({
  target,
  summary,
  defaults,
  parameters,
});

/**
 * Every fault that the simulator can inject. The simulator draws a `delivery` fault once per delivery, an `attempt` fault
 * at each attempt to deliver, and a `content` fault each time it writes a body.
 *
 * @publicApi
 */
export const FAULTS = {
  duplicate: fault(
    'delivery',
    'The platform sends the delivery `times` more times, with the same bytes.',
    { times: 1 },
  ),
  reorder: fault(
    'delivery',
    'The platform sends a later delivery first; it waits for one at most `ms`.',
    { ms: 2_000 },
  ),
  delay: fault('delivery', 'The platform sends the delivery `ms` late.', { ms: 60_000 }),
  lose: fault('delivery', 'The platform never sends the delivery.'),
  replay: fault(
    'delivery',
    'The platform sends an earlier delivery again after this one, with the same bytes; with `ms`, it sends this one again after `ms`.',
    {},
    ['ms'],
  ),
  'before-create-answer': fault(
    'create',
    'The platform delivers the result of the payment before it answers the create.',
    { ms: 5_000 },
  ),

  truncate: fault(
    'attempt',
    'Only the first half of the body arrives; the signature covers the whole body.',
  ),
  gzip: fault(
    'attempt',
    'The body is compressed (`Content-Encoding: gzip`); the signature covers the compressed bytes.',
  ),
  bom: fault('attempt', 'A byte order mark precedes the body; the signature covers it too.'),
  'wrong-key': fault('attempt', 'The signature is made with another key.'),
  unsigned: fault('attempt', 'The signature header is missing.'),
  reserialised: fault('attempt', 'The body has other white space than the signed one.'),
  'authorization-header': fault('attempt', 'The delivery has an `Authorization` header.'),

  'unknown-status': fault(
    'content',
    'A payment, payout, refund or link has the status `paymentStatus`.',
    { paymentStatus: 'Settling' },
  ),
  'unknown-field': fault('content', 'A body has unknown fields.'),
  'number-amounts': fault('content', 'Amounts are JSON numbers.'),
  'string-errors': fault('content', '`errors` is a string instead of an array.'),
  'bare-disbursements': fault(
    'content',
    'Disbursements of `send_money` repeat nothing of their destination but its type.',
  ),
  'unavailable-reference': fault(
    'content',
    'The reference of a recipient or own account is `Unavailable`.',
  ),

  'create-never-answers': fault('create', 'Carried out, never answered.'),
  'create-reset-after-commit': fault('create', 'Carried out, then the connection is reset.'),
  'create-reset-before-commit': fault('create', 'Not carried out, the connection is reset.'),
  'create-5xx-after-commit': fault('create', 'Carried out, answered with `status`.', {
    status: 502,
  }),
  'create-5xx-before-commit': fault('create', 'Not carried out, answered with `status`.', {
    status: 503,
  }),
  'create-408': fault('create', 'Answered 408; carried out unless `commits` is false.', {
    commits: true,
  }),
  'create-429': fault('create', 'Not carried out, answered 429 with `Retry-After: retryAfter`.', {
    retryAfter: 1,
  }),
  'create-302': fault('create', 'Not carried out, answered with a redirect.'),
  'create-without-location': fault('create', '201 without `Location`.'),
  'create-foreign-location': fault('create', '201, `Location` on another host.'),
  'create-http-location': fault('create', '201, `Location` with `http:`.'),
  'create-unversioned-location': fault('create', '201, `Location` without `/api/vN`.'),
  'create-other-version-location': fault('create', '201, `Location` with the other `/api/vN`.'),

  'read-5xx': fault('read', 'A read is answered with `status`.', { status: 503 }),
  'read-slow': fault('read', 'A read is answered `ms` late.', { ms: 15_000 }),
  'read-drip': fault('read', 'A read is answered in small chunks over `ms`.', { ms: 15_000 }),
  'read-reset': fault('read', 'The connection is reset halfway through the answer.'),
  'read-404': fault('read', 'A read is answered 404.'),
  'read-429': fault('read', 'A read is answered 429 with `Retry-After: retryAfter`.', {
    retryAfter: 1,
  }),

  'token-slow': fault('token', 'A token request is answered `ms` late.', { ms: 15_000 }),
  'token-5xx': fault('token', 'A token request is answered with `status`.', { status: 500 }),
  'token-nonsense': fault('token', 'A token request is answered 200 with an HTML page.'),
  'token-created-at-missing': fault('token', 'The token has no `created_at`.'),
  'token-created-at-iso': fault('token', '`created_at` of the token is ISO 8601 text.'),
  'token-expires-mid-flight': fault(
    'api',
    'The token expires early: the call is answered 401 ExpiredAccessToken.',
  ),
} as const satisfies Record<string, FaultDescription>;

/** A fault that the simulator can inject: a key of `FAULTS`. */
export type FaultKind = keyof typeof FAULTS;

export function isFaultKind(name: string): name is FaultKind {
  return Object.hasOwn(FAULTS, name);
}
