import type {
  PlatformRequest,
  PlatformResponse,
} from '../../libs/payments/src/platform/http/platform-answer.js';

/** The fault of one HTTP exchange, drawn before the platform reads it. */
export type ExchangeFault =
  | 'normal'
  | 'refused'
  | 'unprocessed'
  | 'answer lost'
  | 'error unprocessed'
  | 'error processed'
  | 'rate limited'
  | 'unauthorized'
  | 'rejected'
  | 'unreadable location'
  | 'slow';

/** The resources that a host can create, and that must never be created twice for one key. */
const CREATES = new Set([
  '/api/v2/incoming_payments',
  '/api/v2/send_money',
  '/api/v2/reversals',
  '/api/v2/payment_links',
]);

/** The fields that every create has. */
export interface AnyCreate {
  metadata: { order: string };
  _links: { callback_url: string };
}

/** The id of a resource that the platform made, or the reason why it refused to. */
export type Creation = { id: string } | { refused: string };

export function isCreate({ method, path }: PlatformRequest): boolean {
  return method === 'POST' && CREATES.has(path);
}

export function isCancel({ method, path }: PlatformRequest): boolean {
  return method === 'POST' && path.endsWith('/cancel');
}

export function keyOfCreate(request: PlatformRequest): string {
  return bodyOf<AnyCreate>(request).metadata.order;
}

export function bodyOf<T>({ body }: PlatformRequest): T {
  return JSON.parse(body?.text ?? '{}') as T;
}

export function answer(
  status: number,
  text: string,
  location: string | null = null,
  retryAfter: string | null = null,
): PlatformResponse {
  return { status, text, location, retryAfter, date: null };
}

/** Returns the answer to a read of a resource that the platform does not have, or does not show yet. */
export function notFound(): PlatformResponse {
  return answer(404, '{"error_message":"no"}');
}
