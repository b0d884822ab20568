import type { ServerResponse } from 'node:http';
import type { JournalEntry } from '../journal/journal-entry.js';
import type { Journal } from '../journal/journal.service.js';
import type { HttpServer } from '../server/http-server.js';
import type { TrustedHosts } from '../server/trusted-hosts.service.js';
import { CONTROL_PATH, isCrossSite } from './control.controller.js';

/** A reader with this many unread bytes is disconnected. It can reconnect with `Last-Event-ID`. */
const UNREAD_BYTES = 8 * 1024 * 1024;

/** The stream has at most this many readers, because each entry is written to all of them. */
const MOST_READERS = 50;

/**
 * The journal as server-sent events: the kept entries after `Last-Event-ID` or `?after=`, then each new entry. With `?merchant=`, only
 * those of the merchant with this name.
 */
export class JournalStreamController {
  private readonly readers = new Set<ServerResponse>();

  constructor(
    server: HttpServer,
    private readonly journal: Journal,
    hosts: TrustedHosts,
  ) {
    server.route('GET', `${CONTROL_PATH}/journal/stream`, (request, response) => {
      if (hosts.refusal(request) !== null || isCrossSite(request)) {
        response.writeHead(403).end();
        return;
      }
      if (this.readers.size >= MOST_READERS) {
        response.writeHead(503, { 'retry-after': '5' }).end();
        return;
      }
      const { after, merchant } = request.query as { after?: string; merchant?: string };
      const last = Number(request.headers['last-event-id'] ?? after ?? 0);
      this.open(response, Number.isSafeInteger(last) && last > 0 ? last : 0, merchant || undefined);
    });
  }

  stop(): void {
    for (const reader of this.readers) reader.end();
  }

  private open(reader: ServerResponse, after: number, merchant: string | undefined): void {
    reader.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    reader.write(': the journal of the simulator\n\n');
    for (const entry of this.journal.entries(after, merchant)) write(reader, entry);
    const end = this.journal.subscribe((entry) => {
      if (merchant === undefined || entry.merchant === merchant) write(reader, entry);
    });
    this.readers.add(reader);
    reader.once('close', () => {
      end();
      this.readers.delete(reader);
    });
  }
}

function write(reader: ServerResponse, entry: JournalEntry): void {
  if (reader.writableLength > UNREAD_BYTES) {
    reader.destroy();
    return;
  }
  reader.write(`id: ${entry.sequence}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`);
}
