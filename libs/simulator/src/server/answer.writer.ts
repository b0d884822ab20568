import type { ServerResponse } from 'node:http';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { PlatformAnswer } from './platform.answer.js';

const DROPS = 10;

/** Writes an answer to the socket, in the way that a fault demands: never, broken off or slowly. */
export class AnswerWriter {
  private dateText = '';
  private dateSecond = Number.NaN;

  constructor(private readonly clock: SimulatedClock) {}

  async write(answer: PlatformAnswer, response: ServerResponse): Promise<void> {
    const { manner } = answer;
    if (manner === 'never') return;
    if (manner === 'reset') return reset(response);
    const body =
      typeof answer.body === 'string' ? Buffer.from(answer.body) : (answer.body ?? Buffer.alloc(0));
    // Node would write the machine's own time.
    response.sendDate = false;
    response.writeHead(answer.status, {
      date: this.date(),
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

  /** The `Date` header on the simulator's clock. */
  date(): string {
    const now = this.clock.now();
    const second = Math.floor(now / 1_000);
    if (second !== this.dateSecond) {
      this.dateSecond = second;
      this.dateText = new Date(now).toUTCString();
    }
    return this.dateText;
  }

  private async drip(body: Buffer, ms: number, response: ServerResponse): Promise<void> {
    const step = Math.max(1, Math.ceil(body.length / DROPS));
    for (let at = 0; at < body.length && !response.destroyed; at += step) {
      await this.clock.wait(ms / DROPS);
      response.write(body.subarray(at, at + step));
    }
    response.end();
  }
}

function reset(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  // Over TLS only the socket below could be reset; destroying it looks the same to the client.
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
