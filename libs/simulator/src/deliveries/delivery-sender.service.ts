import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { SimulatedClock } from '../clock/clock.service.js';

/** The status that the receiver answered, or the error when it did not answer. */
export interface ReceiverAnswer {
  readonly status: number | null;
  readonly error: string | null;
}

const CONNECTIONS_PER_RECEIVER = 128;

/** Posts bytes to a receiver. It never follows a redirect: any status but 2xx is a refusal. */
export class DeliverySender {
  private readonly http = new HttpAgent({ keepAlive: true, maxSockets: CONNECTIONS_PER_RECEIVER });
  private readonly https: HttpsAgent;

  constructor(
    private readonly clock: SimulatedClock,
    private readonly timeoutMs: number,
    receiverCa: string | Buffer | undefined,
  ) {
    this.https = new HttpsAgent({
      keepAlive: true,
      maxSockets: CONNECTIONS_PER_RECEIVER,
      ...(receiverCa ? { ca: receiverCa } : {}),
    });
  }

  async post(url: string, headers: Record<string, string>, body: Buffer): Promise<ReceiverAnswer> {
    return new Promise((resolve) => {
      const target = new URL(url);
      const secure = target.protocol === 'https:';
      const options = {
        method: 'POST',
        agent: secure ? this.https : this.http,
        headers: { ...headers, 'Content-Length': body.length },
      };
      const request = secure ? httpsRequest(target, options) : httpRequest(target, options);
      let timeout: ReturnType<SimulatedClock['schedule']> | undefined;
      // The time limit of the receiver begins when a connection is there. A request that waits for a free connection has not been sent yet.
      request.once('socket', () => {
        timeout = this.clock.schedule(this.timeoutMs, () => request.destroy(new Error('timeout')));
      });
      const finish = (answer: ReceiverAnswer) => {
        timeout?.cancel();
        resolve(answer);
      };
      request.once('response', (response: IncomingMessage) => {
        // The platform ignores the body, but must read it before it can reuse the connection.
        response.resume();
        response.on('error', () => undefined);
        finish({ status: response.statusCode ?? null, error: null });
      });
      // We use `on`, because the connection may also break after the answer.
      request.on('error', (error: NodeJS.ErrnoException) => {
        finish({ status: null, error: error.code ?? error.message });
      });
      request.end(body);
    });
  }

  stop(): void {
    this.http.destroy();
    this.https.destroy();
  }
}
