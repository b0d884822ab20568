import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { Injectable } from '@nestjs/common';
import { accountAttributes, AccountRegistry } from '../accounts/account-registry.js';
import { isAccountName } from '../accounts/payments.settings.js';
import { ATTRIBUTE, METRICS } from '../runtime/telemetry/metrics-list.js';
import { count } from '../runtime/telemetry/metrics.js';
import {
  accountOf,
  type DeliveryHead,
  type DeliveryRouteMark,
  deliveryRouteOf,
  largestBody,
  purposeOf,
} from './delivery-route.js';
import type { RawBody } from './raw-body.js';
import {
  type EarlyRefusal,
  problemOf,
  type Refusal,
  REFUSAL_STATUS,
  RefusalLog,
} from './refusals.js';
import { isSignature, SIGNATURE_HEADER } from './signature.js';
import { verifyUrlMac } from './url-mac.js';

/** `Retry-After` of a 503, in seconds. */
export const RETRY_AFTER_S = 10;

/** Bytes of all bodies that wait while accounts are loaded again. */
export const MOST_WAITING_BYTES = 8 * 1024 * 1024;

/**
 * Judges deliveries before their body is read: a request of somebody else costs us its head only. What it lets in is not verified yet: the
 * guard does that, with the body.
 */
@Injectable()
export class DeliveryAdmission {
  /** Bodies that are kept while their accounts are loaded again. */
  private waitingBytes = 0;

  constructor(
    private readonly accounts: AccountRegistry,
    private readonly log: RefusalLog,
  ) {}

  /**
   * Returns why a delivery is refused whatever its body is; null when its body decides. If its path names its account, we first load the
   * settings that verify the delivery, and load them again if newer ones may explain a wrong MAC.
   */
  async judge(mark: DeliveryRouteMark, head: DeliveryHead): Promise<EarlyRefusal | null> {
    const account = accountOf(mark, head);
    if (!deliveryRouteOf(head)) return 'identifier';
    if (mark.account === null) {
      const refusal = await this.refusalOfAccount(account, head);
      if (refusal) return refusal;
    }
    const refusal = this.refusalOf(mark, head);
    return refusal === 'url_mac'
      ? this.afterReload(account, refusal, () => this.refusalOf(mark, head))
      : refusal;
  }

  /**
   * A delivery that fits none of the secrets that we know may fit those that its account has now, so we load the account again.
   * @param again judges the delivery again
   * @param bytes of its body, which are kept meanwhile
   */
  async afterReload<R extends Refusal, T>(
    account: string,
    refusal: R,
    again: () => T | R,
    bytes = 0,
  ): Promise<T | R | 'unsure'> {
    if (this.accounts.has(account) && !this.accounts.isAdded(account)) return refusal;
    // Bodies of strangers must not fill the memory while the source of the host is slow.
    if (this.waitingBytes + bytes > MOST_WAITING_BYTES) return 'unsure';
    this.waitingBytes += bytes;
    const reloaded = await this.accounts
      .reload(account)
      .finally(() => (this.waitingBytes -= bytes));
    // We judge again also when the account was not loaded now, because another request may have loaded it meanwhile.
    const judged = again();
    return judged === refusal && reloaded === 'unsure' ? 'unsure' : judged;
  }

  private async refusalOfAccount(
    account: string,
    head: DeliveryHead,
  ): Promise<EarlyRefusal | null> {
    if (!isAccountName(account)) return 'account';
    // A delivery with neither a signature nor a MAC belongs to no account, so we ask nobody for the account.
    if (!this.accounts.has(account) && !mayBeVerified(head)) return 'account';
    try {
      // We read the body of a signed delivery for an unknown name, too: a stranger must not learn which accounts there are.
      if (!(await this.accounts.look(account))) return isSigned(head) ? null : 'account';
    } catch {
      return 'unsure';
    }
    // An account that is declared at the start has its own routes.
    return !this.accounts.has(account) || this.accounts.isAdded(account) ? null : 'account';
  }

  /** Returns why a delivery is refused by the settings of its account that this process has now; null when its body decides. */
  refusalOf(mark: DeliveryRouteMark, head: DeliveryHead): EarlyRefusal | null {
    const { kind } = mark;
    const account = accountOf(mark, head);
    const route = deliveryRouteOf(head);
    if (!route) return 'identifier';
    const settings = this.accounts.toVerify(account);
    // The settings were removed from memory while the account was loaded again, or while the body arrived.
    const isUnknown = mark.account === null && this.accounts.isMissing(account);
    if (!settings && !isUnknown) return 'unsure';
    if (!settings || settings.apiKeys.length > 0) {
      if (!isSigned(head)) return 'signature';
    } else if (!verifyUrlMac(purposeOf(account, route), head.params?.mac, settings.urlSecrets))
      return 'url_mac';
    const { 'content-encoding': encoding = 'identity', 'content-length': length } = head.headers;
    if (encoding.toLowerCase() !== 'identity') return 'encoded';
    return Number(length ?? 0) > largestBody(kind) ? 'too_large' : null;
  }

  /** Refuses a delivery, logs and counts it. */
  refuse(account: string, head: DeliveryHead, refusal: Refusal, body?: RawBody): EarlyAnswer {
    const settings = this.accounts.toVerify(account) ?? null;
    this.log.note(settings, head, refusal, body);
    const route = deliveryRouteOf(head);
    count(METRICS.deliveries, {
      [ATTRIBUTE.deliveryKind]: route?.kind ?? 'unknown',
      [ATTRIBUTE.deliveryVerdict]: refusal,
      ...accountAttributes(this.accounts, account),
    });
    const status = REFUSAL_STATUS[refusal];
    return {
      ...problemOf(status),
      ...(status === 503 && { retryAfterS: RETRY_AFTER_S }),
    };
  }
}

/** Checks only the form of the signature. */
function isSigned({ headers }: DeliveryHead): boolean {
  return isSignature(headers[SIGNATURE_HEADER]);
}

/** True when a delivery has a signature, or a MAC in its URL. */
function mayBeVerified(head: DeliveryHead): boolean {
  return isSigned(head) || head.params?.mac !== undefined;
}

/** Returns why a form is refused whatever its body is; null when its body decides. */
export function formRefusalOf(
  headers: IncomingHttpHeaders,
  maxBytes: number,
): 'encoded' | 'too_large' | null {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return 'encoded';
  return Number(headers['content-length'] ?? 0) > maxBytes ? 'too_large' : null;
}

/** Returns the answer to a refused form, for the person who sent it. */
export function formAnswerOf(refusal: Refusal, maxBytes: number): EarlyAnswer {
  const texts: Partial<Record<Refusal, string>> = {
    too_large: `The form is too large: it may have at most ${maxBytes} bytes. Go back, shorten its fields and send it again.`,
    encoded: 'The form is compressed, which this page does not accept.',
    slow: 'The form did not arrive in time. Go back and send it again.',
    busy: 'The server is busy. Go back and send the form again in a moment.',
  };
  return {
    status: REFUSAL_STATUS[refusal],
    type: 'text/plain; charset=utf-8',
    text: texts[refusal] ?? 'The form was refused.',
  };
}

/** We read so many bytes of a refused body, so that a client that is still sending receives the answer. */
const MOST_DRAINED_BYTES = 64 * 1024;
const DRAINED_FOR_MS = 1_000;

/** An answer to a request whose body we don't want. */
interface EarlyAnswer {
  status: number;
  type: string;
  text: string;
  retryAfterS?: number;
}

const isHttp2 = (request: IncomingMessage | Http2ServerRequest): request is Http2ServerRequest =>
  request.httpVersionMajor === 2;

/**
 * Answers a request before its body has arrived, and closes the connection. A close with unread bytes would reset the connection,
 * and the client might lose the answer; so the connection stays open until the client has sent its body or gone, for 1 s at most. At
 * most 64 kB are read meanwhile.
 */
export function answerAndClose(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, text, retryAfterS }: EarlyAnswer,
): void {
  const ignore = (): void => undefined;
  request.on('error', ignore);
  response.on('error', ignore);
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
    // HTTP/2 has no such header.
    ...(!isHttp2(request) && { Connection: 'close' }),
  });
  response.write(text);
  if (request.readableEnded) {
    response.end();
    return;
  }
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(() => {
    response.end();
    // Destroying a request of HTTP/2 leaves its stream open.
    if (isHttp2(request)) request.stream.close();
    else request.destroy();
  }, DRAINED_FOR_MS);
  let drained = 0;
  request.once('end', end).once('close', end);
  request.on('data', (chunk: Buffer) => {
    drained += chunk.length;
    if (drained >= MOST_DRAINED_BYTES) request.pause();
  });
  request.resume();
}
