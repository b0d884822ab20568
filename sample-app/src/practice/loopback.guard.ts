import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';

interface ShopRequest {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string };
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/;

/** Protects against DNS rebinding: a page of another host name that resolves to this machine must not read our pages. */
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Allows requests from this machine only. That is enough for practice. In production operators sign in, and the guard
 * checks their session.
 */
@Injectable()
export class LoopbackGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers, socket } = context.switchToHttp().getRequest<ShopRequest>();
    return (
      LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '') && LOOPBACK_HOST.test(headers.host ?? '')
    );
  }
}
