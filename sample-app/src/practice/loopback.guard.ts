import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';

interface ShopRequest {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string };
}

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/;

/** DNS rebinding: a page under another name that resolves to this machine must not read ours. */
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Lets in the person at this machine, which is enough for practice. A shop that is open to the world has operators who
 * sign in: its guard checks their session.
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
