import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Posts deliveries over kept connections, as fast as they are answered. */
export class Poster {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    connections: number,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /**
   * Returns the status of the answer; 0 when the connection broke before.
   * @param pauseMs sends the body in two packets, with this pause between
   */
  post(path: string, body: Buffer, headers: Record<string, string>, pauseMs = 0): Promise<number> {
    return new Promise((resolve) => {
      const { hostname, port } = new URL(this.url);
      const outgoing = request({
        agent: this.agent,
        host: hostname,
        port,
        method: 'POST',
        path,
        headers: { 'Content-Type': 'application/json', 'Content-Length': body.length, ...headers },
      });
      outgoing.once('response', (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', () => resolve(answer.statusCode ?? 0));
      });
      outgoing.once('error', () => resolve(0));
      if (pauseMs === 0) {
        outgoing.end(body);
        return;
      }
      outgoing.write(body.subarray(0, body.length >> 1));
      void sleep(pauseMs).then(() => outgoing.end(body.subarray(body.length >> 1)));
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
