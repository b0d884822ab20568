import type { ServerResponse } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { rawResponse } from './raw-response.js';

/** The files that are being sent. The server waits for every response when it closes, and a reader may take hours, or pause. */
@Injectable()
export class OpenFiles implements OnModuleDestroy {
  private readonly responses = new Set<ServerResponse>();
  private isClosed = false;

  /** Breaks all of them off, so that no browser takes a part for the whole. */
  onModuleDestroy(): void {
    this.isClosed = true;
    for (const response of this.responses) response.destroy();
  }

  add(response: object): void {
    const raw = rawResponse(response);
    // A reader that has left already closes nothing any more.
    if (raw.closed) return;
    this.responses.add(raw);
    raw.once('close', () => this.responses.delete(raw));
    if (this.isClosed) raw.destroy();
  }
}
