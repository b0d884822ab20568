import type { ServerResponse } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { rawResponse } from './raw-response.js';

/** The files that are being sent. The server waits for every response when it closes, and a reader may take hours, or pause. */
@Injectable()
export class OpenFiles implements OnModuleDestroy {
  private readonly responses = new Set<ServerResponse>();
  private isClosed = false;

  /** Breaks off all files, so that no browser takes a part for the whole. */
  onModuleDestroy(): void {
    this.isClosed = true;
    for (const response of this.responses) response.destroy();
  }

  add(response: object): void {
    const raw = rawResponse(response);
    // When the reader has already left, no close event will come.
    if (raw.closed) return;
    this.responses.add(raw);
    raw.once('close', () => this.responses.delete(raw));
    if (this.isClosed) raw.destroy();
  }
}
