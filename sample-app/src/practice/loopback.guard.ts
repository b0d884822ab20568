import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';

interface ShopRequest {
  method: string;
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string };
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/;

/** Protects against DNS rebinding: a page of another host name that resolves to this machine must not read our pages. */
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/** Values of `Sec-Fetch-Site` of a form on our own page; older clients and programs send none. */
const OWN_SITE: readonly unknown[] = ['same-origin', 'none', undefined];

/**
 * Allows requests from this machine only, and forms of our own pages only: the page of another site must not send money. That is enough for practice. In production operators sign in, and the guard
 * checks their session.
 */
@Injectable()
export class LoopbackGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { method, headers, socket } = context.switchToHttp().getRequest<ShopRequest>();
    return (
      LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '') &&
      LOOPBACK_HOST.test(headers.host ?? '') &&
      (method === 'GET' || OWN_SITE.includes(headers['sec-fetch-site']))
    );
  }
}
