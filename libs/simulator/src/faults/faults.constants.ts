/** What a fault applies to. */
export type FaultPlace = 'delivery' | 'attempt' | 'content' | 'create' | 'read' | 'token' | 'api';

/** How strong a fault is; each kind uses what its row of the table names. */
export interface FaultOptions {
  /** How many extra copies (`duplicate`). */
  times?: number;
  /** How long, in milliseconds on the simulator's clock. */
  ms?: number;
  /** The HTTP status to answer with. */
  status?: number;
  /** Seconds to say in `Retry-After`. */
  retryAfter?: number;
  /** The text to put in (`unknown-status`). */
  value?: string;
  /** Whether the request is carried out all the same (`create-408`). */
  commits?: boolean;
}

/** One row of the fault table. */
export interface FaultDescription {
  readonly place: FaultPlace;
  readonly summary: string;
  readonly defaults: Readonly<FaultOptions>;
}

const row = (
  place: FaultPlace,
  summary: string,
  defaults: FaultOptions = {},
): FaultDescription => ({
  place,
  summary,
  defaults,
});

/**
 * Every fault that the simulator can make, named once: code, control API and README read this table.
 * `delivery` is drawn once per delivery, `attempt` at each attempt to deliver, `content` each time a body is written.
 *
 * @publicApi
 */
export const FAULTS = {
  duplicate: row('delivery', 'The delivery is sent `times` more times, byte for byte.', {
    times: 1,
  }),
  reorder: row('delivery', 'The delivery waits until a later one is sent first, at most `ms`.', {
    ms: 2_000,
  }),
  delay: row('delivery', 'The delivery is sent `ms` late, after the first status read.', {
    ms: 60_000,
  }),
  lose: row('delivery', 'The delivery is never sent.'),
  replay: row(
    'delivery',
    'After this delivery an old one is sent again, byte for byte; with `ms`, this one is sent again after that time.',
  ),
  'before-create-answer': row(
    'create',
    "The payment's result is delivered before its create is answered.",
    {
      ms: 5_000,
    },
  ),

  truncate: row(
    'attempt',
    'Only the first half of the body arrives; the signature is over all of it.',
  ),
  gzip: row('attempt', 'The body is compressed, `Content-Encoding: gzip`; signed as sent.'),
  bom: row('attempt', 'A byte order mark precedes the body; signed as sent.'),
  'wrong-key': row('attempt', 'The signature is made with another key.'),
  unsigned: row('attempt', 'The signature header is missing.'),
  reserialised: row(
    'attempt',
    'The body is written anew with other white space; the signature is over the first.',
  ),
  'authorization-header': row('attempt', 'The delivery carries an `Authorization` header.'),

  'unknown-status': row('content', 'A payment has the status `value`.', { value: 'Settling' }),
  'unknown-field': row('content', 'A body has fields that nobody announced.'),
  'number-amounts': row('content', 'Amounts are JSON numbers.'),
  'string-errors': row('content', '`event.errors` is a bare string.'),

  'create-never-answers': row('create', 'Carried out, and never answered.'),
  'create-reset-after-commit': row('create', 'Carried out, then the connection is reset.'),
  'create-reset-before-commit': row(
    'create',
    'The connection is reset and nothing is carried out.',
  ),
  'create-5xx-after-commit': row('create', 'Carried out, answered with `status`.', { status: 502 }),
  'create-5xx-before-commit': row('create', 'Not carried out, answered with `status`.', {
    status: 503,
  }),
  'create-408': row('create', 'Answered 408; carried out unless `commits` is false.', {
    commits: true,
  }),
  'create-429': row('create', 'Not carried out, answered 429 with `Retry-After: retryAfter`.', {
    retryAfter: 1,
  }),
  'create-302': row('create', 'Not carried out, answered with a redirect.'),
  'create-without-location': row('create', '201 without `Location`.'),
  'create-foreign-location': row('create', '201, `Location` on another host.'),
  'create-http-location': row('create', '201, `Location` with `http:`.'),
  'create-unversioned-location': row('create', '201, `Location` without `/api/vN`.'),
  'create-other-version-location': row('create', '201, `Location` with the other `/api/vN`.'),

  'read-5xx': row('read', 'A read is answered with `status`.', { status: 503 }),
  'read-slow': row('read', 'A read is answered `ms` late.', { ms: 15_000 }),
  'read-drip': row('read', 'A read is answered in drops, the last of them after `ms`.', {
    ms: 15_000,
  }),
  'read-reset': row('read', 'The connection is reset in the middle of the answer.'),
  'read-404': row('read', 'A read is answered 404.'),
  'read-429': row('read', 'A read is answered 429 with `Retry-After: retryAfter`.', {
    retryAfter: 1,
  }),

  'token-slow': row('token', 'A token request is answered `ms` late.', { ms: 15_000 }),
  'token-5xx': row('token', 'A token request is answered with `status`.', { status: 500 }),
  'token-nonsense': row('token', 'A token request is answered 200 with a page of HTML.'),
  'token-created-at-missing': row('token', 'The token has no `created_at`.'),
  'token-created-at-iso': row('token', '`created_at` of the token is ISO 8601 text.'),
  'token-expires-mid-flight': row(
    'api',
    'The token in use expires before its time: 401 ExpiredAccessToken.',
  ),
} as const satisfies Record<string, FaultDescription>;

/** The name of a fault. */
export type FaultKind = keyof typeof FAULTS;

export function isFaultKind(name: string): name is FaultKind {
  return Object.hasOwn(FAULTS, name);
}
