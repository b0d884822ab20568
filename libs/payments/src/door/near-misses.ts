import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SafeLogger } from '../work/safe-logger.js';
import { RouteRegistry } from './route-registry.js';

/** A path that was meant for our routes, maybe with a wrong prefix, number or case. */
const NEAR = /\/(?:webhook|callback)s?(?:[/?]|$)/i;

const NOT_FOUND = [404, 405];
const MOVED = [301, 302, 303];

/** Requests that reached one of our routes. What is refused there has its own line. */
const ours = new WeakSet<IncomingMessage>();

export function reachedOurRoute(request: IncomingMessage): void {
  ours.add(request);
}

/**
 * Says in the log that a request went past our routes: with a wrong URL at the platform, or behind a redirect, every callback is lost, and
 * the answer of the host, a 404, says nothing. The URL is not in the line, because anybody can write it and it may have a MAC.
 */
@Injectable()
export class NearMisses implements OnApplicationBootstrap {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly registry: RouteRegistry,
  ) {}

  onApplicationBootstrap(): void {
    // An application context has no HTTP.
    const adapter = this.host.httpAdapter as HttpAdapterHost['httpAdapter'] | undefined;
    const server = adapter?.getHttpServer() as Server | undefined;
    server?.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      if (NEAR.test(request.url ?? ''))
        response.once('finish', () => this.answered(request, response.statusCode));
    });
  }

  private answered(request: IncomingMessage, status: number): void {
    if (ours.has(request)) return;
    const method = request.method === 'POST' ? 'POST' : 'GET';
    const why = whyMissed(method, status);
    if (why === null) return;
    this.logger.seldom('warn', `${method} ${status}`, () => {
      const path = this.registry.webhookPath() ?? 'the payments routes';
      return `a ${method} near the payments routes was answered ${status}: ${why}. The platform posts to ${path}`;
    });
  }
}

function whyMissed(method: 'GET' | 'POST', status: number): string | null {
  if (method === 'POST' && MOVED.includes(status))
    return 'this redirect makes the platform, or a proxy, send a GET without the delivery: give the platform the URL to which it leads';
  if (!NOT_FOUND.includes(status)) return null;
  return method === 'POST'
    ? 'if the platform sent it, its URL is wrong: look at the prefix of the path, PAYMENTS_PUBLIC_URL, and the subscriptions of webhooks'
    : 'a delivery is a POST. If the platform sent it, a redirect (http to https, another host, a slash) turned the POST into a GET: ' +
        'give the platform the URL to which it leads';
}
