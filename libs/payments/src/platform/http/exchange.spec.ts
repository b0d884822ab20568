import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { exchange, type Exchange } from './exchange.js';

const LONG_MS = 60_000;

describe('a request to a platform', () => {
  let server: Server;

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Sends a request to a server that answers so. */
  const send = async (
    answer: RequestListener,
    changes: Partial<Exchange> = {},
  ): Promise<{ answer: { statusCode?: number | undefined }; text: string }> => {
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const to = { protocol: 'http:', hostname: '127.0.0.1', port, path: '/', method: 'POST' };
    const most = { timeoutMs: LONG_MS, maxBytes: 100, shutdown: undefined };
    return exchange({ to, body: '{"name":"Wanjikũ"}', ...most, ...changes });
  };

  it('is sent whole with its length, and its answer is read whole', async () => {
    const received: unknown[] = [];
    const { answer, text } = await send((request, response) => {
      received.push(request.headers['content-length'], request.headers['transfer-encoding']);
      request.on('data', (chunk: Buffer) => received.push(chunk.toString()));
      request.on('end', () => {
        const bytes = Buffer.from('\ufeff{"name":"Wanjikũ"}');
        response.writeHead(202).write(bytes.subarray(0, -3));
        setImmediate(() => response.end(bytes.subarray(-3)));
      });
    });
    expect(received).toEqual(['19', undefined, '{"name":"Wanjikũ"}']);
    expect(answer.statusCode).toBe(202);
    expect(text).toBe('{"name":"Wanjikũ"}');
  });

  it('follows no redirect', async () => {
    const answered = jest.fn();
    const { answer } = await send((_, response) => {
      answered();
      response.writeHead(307, { location: '/other' }).end();
    });
    expect(answer.statusCode).toBe(307);
    expect(answered).toHaveBeenCalledTimes(1);
  });

  it.each<[string, RequestListener]>([
    ['no answer comes', () => undefined],
    ['the body does not end', (_, response) => void response.writeHead(200).write('{')],
  ])('ends at its deadline when %s', async (_, answer) => {
    await expect(send(answer, { timeoutMs: 50.4 })).rejects.toMatchObject({
      message: 'no answer in 50 ms',
      certainlyNotSent: false,
    });
  });

  it('ends when the application closes', async () => {
    const shutdown = new AbortController();
    const sent = send(() => shutdown.abort(), { shutdown: shutdown.signal });
    await expect(sent).rejects.toThrow('the application closes');
  });

  it('is not sent when the application has closed', async () => {
    const received = jest.fn();
    const sent = send(received, { shutdown: AbortSignal.abort() });
    await expect(sent).rejects.toThrow('the application closes');
    expect(received).not.toHaveBeenCalled();
  });

  it('ends when its answer is larger than the limit, and not before', async () => {
    await expect(send((_, response) => response.end('x'.repeat(100)))).resolves.toBeTruthy();
    server.close();
    const large: RequestListener = (_, response) => void response.write('x'.repeat(101));
    await expect(send(large)).rejects.toMatchObject({ tooLarge: true });
  });

  it.each<[string, RequestListener]>([
    ['before the answer', (request) => void request.socket.destroy()],
    [
      'within the answer',
      (request, response) => {
        response.writeHead(200, { 'Content-Length': 10 }).write('{');
        setImmediate(() => request.socket.destroy());
      },
    ],
  ])('fails when the connection is lost %s', async (_, answer) => {
    await expect(send(answer)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
