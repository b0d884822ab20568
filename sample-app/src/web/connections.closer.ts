import type { Server } from 'node:http';
import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** What an answer under way may still take. */
const GRACE_MS = 500;

/**
 * Browsers open connections ahead of need, and a server that closes waits for those as for any other: until the browser
 * loses patience. What is still open a moment after the shop closed is cut.
 */
@Injectable()
export class ConnectionsCloser implements BeforeApplicationShutdown, OnApplicationShutdown {
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly host: HttpAdapterHost) {}

  beforeApplicationShutdown(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    this.timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  }

  onApplicationShutdown(): void {
    if (this.timer) clearTimeout(this.timer);
  }
}
