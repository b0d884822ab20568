import { once } from 'node:events';
import {
  createServer,
  get,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page, PageRequest } from '@tillkit/payments/internal/store';
import { VISIT } from '../testing/visit.fixture.js';
import { csvFile } from './csv-file.js';

/** This many pages are about 100 MB, more than the buffers of a connection hold. */
const MANY_PAGES = 400;

const COLUMNS = [{ name: 'text', cell: (text: string) => text }];

describe('A CSV file that is sent', () => {
  /** The requests for each page that was read. */
  let read: PageRequest[];
  /** The pages of the list. */
  let count: number;
  let server: Server;
  /** The response as the server sees it. */
  let sent: ServerResponse;

  /** Reads a page of a list whose rows do not exist before somebody asks for them. */
  const readPage = async (request: PageRequest): Promise<Page<string>> => {
    read.push(request);
    const number = Number(request.after ?? 1);
    const items = Array.from({ length: request.limit }, (_, at) => `${number}:${at} `.padEnd(250));
    return { items, next: number < count ? String(number + 1) : null };
  };

  beforeEach(async () => {
    read = [];
    count = MANY_PAGES;
    server = createServer((_, response) => {
      sent = response;
      void csvFile(VISIT, 'rows', COLUMNS, readPage).then(({ chunks }) =>
        Readable.from(chunks).pipe(response),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const open = async (): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo;
    const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [
      IncomingMessage,
    ];
    return response;
  };

  /** Waits until the connection takes no more and all reads have ended. */
  const heldBack = async (): Promise<void> => {
    while (!sent.writableNeedDrain) await nextTurn();
    for (let before = -1; before !== read.length;) {
      before = read.length;
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    }
  };

  it('is read from the store no faster than its reader takes it, so that it needs little memory', async () => {
    const response = await open();
    response.pause();
    await heldBack();
    const whilePaused = read.length;
    expect(whilePaused).toBeGreaterThan(0);
    expect(whilePaused).toBeLessThan(MANY_PAGES / 4);
    let lines = 0;
    for await (const chunk of response as AsyncIterable<Buffer>)
      for (const byte of chunk) if (byte === 0x0a) lines += 1;
    expect(lines).toBe(1 + MANY_PAGES * 1_000);
    expect(read).toHaveLength(MANY_PAGES);
  });

  it('is read one page after the other, each once, and may come from a replica', async () => {
    count = 5;
    const response = await open();
    response.resume();
    await once(response, 'end');
    const places = read.map(({ after }) => after);
    expect(places).toEqual([undefined, '2', '3', '4', '5']);
    expect(new Set(read.map(({ limit, mayBeOld }) => `${limit} ${mayBeOld}`))).toEqual(
      new Set(['1000 true']),
    );
  });

  it('is not read to its end when the reader goes away', async () => {
    const response = await open();
    response.pause();
    await heldBack();
    response.destroy();
    await once(sent, 'close');
    const afterwards = read.length;
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(read).toHaveLength(afterwards);
  });
});
