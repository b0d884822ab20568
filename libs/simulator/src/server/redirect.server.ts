import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { CannotListenError } from '../simulator.errors.js';
import type { AnswerWriter } from './answer.writer.js';

/** Answers every plain-HTTP request with 302 to the same on HTTPS. */
export class RedirectServer {
  private readonly server: Server;

  constructor(
    private readonly host: string,
    writer: AnswerWriter,
    secureUrl: () => string,
  ) {
    this.server = createServer((request, response) => {
      request.resume();
      void writer.write(
        { status: 302, headers: { location: secureUrl() + (request.url ?? '/') } },
        response,
      );
    });
  }

  /** @returns the port. @throws CannotListenError */
  async listen(port: number): Promise<number> {
    this.server.listen(port, this.host);
    try {
      await once(this.server, 'listening');
    } catch (error) {
      throw new CannotListenError(this.host, port, error);
    }
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
