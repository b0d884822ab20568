import type { ServerResponse } from 'node:http';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { PlatformAnswer } from './platform-answer.dto.js';

const CHUNKS = 10;

/** Sends an answer to the client. A fault may suppress it, reset the connection or send it slowly. */
export class AnswerSender {
  constructor(private readonly clock: SimulatedClock) {}

  async send(answer: PlatformAnswer, response: ServerResponse): Promise<void> {
    const { manner } = answer;
    if (manner === 'never') return;
    if (manner === 'reset') return reset(response);
    const body =
      typeof answer.body === 'string' ? Buffer.from(answer.body) : (answer.body ?? Buffer.alloc(0));
    // Without this, Node would send the time of the machine.
    response.sendDate = false;
    response.writeHead(answer.status, {
      date: new Date(this.clock.now()).toUTCString(),
      ...answer.headers,
      'content-length': body.length,
    });
    if (manner === undefined) {
      response.end(body);
      return;
    }
    if (manner === 'reset-midway') {
      response.write(body.subarray(0, body.length >> 1), () => reset(response));
      return;
    }
    await this.drip(body, manner.dripMs, response);
  }

  private async drip(body: Buffer, ms: number, response: ServerResponse): Promise<void> {
    const step = Math.max(1, Math.ceil(body.length / CHUNKS));
    for (let at = 0; at < body.length && !response.destroyed; at += step) {
      await this.clock.wait(ms / CHUNKS);
      response.write(body.subarray(at, at + step));
    }
    response.end();
  }
}

function reset(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  // A TLS socket cannot send a reset. For the client, destroying it looks the same.
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
