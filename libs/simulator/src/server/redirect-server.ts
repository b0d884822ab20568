import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { CannotListenError } from '../simulator.errors.js';
import type { AnswerSender } from './answer-sender.service.js';

/** Redirects every plain-HTTP request to the same path on HTTPS (302). */
export class RedirectServer {
  private readonly server: Server;

  constructor(
    private readonly host: string,
    answerSender: AnswerSender,
    secureUrl: () => string,
  ) {
    this.server = createServer((request, response) => {
      request.resume();
      void answerSender.send(
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
