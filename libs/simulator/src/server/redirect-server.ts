import { createServer, type Server } from 'node:http';
import type { AnswerSender } from './answer-sender.service.js';
import { closeNow, listenAt } from './http-server.js';

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
    return (await listenAt(this.server, this.host, port)).port;
  }

  stop(): Promise<void> {
    return closeNow(this.server);
  }
}
