import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CannotListenError } from '../simulator.errors.js';
import { HttpServer, respond, UnreadableRequest, type HttpRequest } from './http-server.js';

const LARGEST = 1024 * 1024;

describe('The HTTP server of the simulator', () => {
  let server: HttpServer;
  let port: number;
  const seen: HttpRequest[] = [];

  beforeEach(async () => {
    seen.length = 0;
    server = new HttpServer({
      tls: undefined,
      ignoreDuplicateSlashes: false,
      onMissing: ({ url }, response) => respond(response, 404, {}, `no ${url}`),
      onError: (error, _request, response) =>
        respond(
          response,
          error instanceof UnreadableRequest ? error.status : 500,
          {},
          (error as Error).message,
        ),
    });
    for (const method of ['GET', 'POST', 'DELETE'])
      server.route(method, '/items/:id', (request, response) => {
        seen.push(request);
        respond(response, 200, {}, 'seen');
      });
    server.route('GET', '/broken', () => {
      throw new Error('broken');
    });
    port = await server.listen('127.0.0.1', 0);
  });
  afterEach(() => server.close());

  /** Sends bytes on one connection, and resolves with all that comes until the server closes it. */
  const send = async (...requests: string[]): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    for (const request of requests) socket.write(request, 'latin1');
    return text(socket);
  };
  const ask = (line: string, more = ''): string =>
    `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`;
  const LAST = 'Connection: close\r\n';

  it('gives a handler the method, URL, parameters, query and bytes of a request', async () => {
    await send(
      ask('POST /items/a%2Fb?x=1&x=2&y=%C3%A9', `${LAST}Transfer-Encoding: chunked\r\n`),
      '2\r\n\xff\x00\r\n1\r\n!\r\n0\r\n\r\n',
    );
    expect(seen).toEqual([
      expect.objectContaining({
        method: 'POST',
        url: '/items/a%2Fb?x=1&x=2&y=%C3%A9',
        params: { id: 'a/b' },
        query: { x: ['1', '2'], y: 'é' },
        body: Buffer.from('\xff\x00!', 'latin1'),
        localAddress: '127.0.0.1',
      }),
    ]);
  });

  it.each([
    ['GET', 'Content-Length: 2\r\n', '{}'],
    ['DELETE', '', ''],
    ['POST', 'Content-Length: 0\r\n', ''],
  ])('says of a request without a body that it has none: %s %j', async (method, header, body) => {
    await send(ask(`${method} /items/1`, LAST + header) + body);
    expect(seen.map((request) => request.body)).toEqual([null]);
  });

  it.each([
    ['a path', 'GET /nothing', 404, 'no /nothing'],
    ['a method', 'PUT /items/1', 404, 'no /items/1'],
    ['the head of a resource', 'HEAD /items/1', 404, ''],
    ['a URL that cannot be decoded', 'GET /%zz', 400, "'/%zz' is not a valid url component"],
    ['a handler that throws', 'GET /broken', 500, 'broken'],
  ])('answers with the right status: %s, %s', async (_, line, status, body) => {
    const answer = await send(ask(line, LAST));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.split('\r\n\r\n')[1]).toBe(body);
  });

  const large = 'x'.repeat(LARGEST + 1);
  it.each([
    ['announced', `Content-Length: ${large.length}\r\n`, large],
    [
      'in chunks',
      'Transfer-Encoding: chunked\r\n',
      `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`,
    ],
  ])(
    'refuses a body that is too large, and serves the next request on the connection: %s',
    async (_, header, body) => {
      const answers = await send(
        ask('POST /items/large', header),
        body,
        ask('GET /items/next', LAST),
      );
      expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
      expect(seen.map(({ url }) => url)).toEqual(['/items/next']);
    },
  );

  it('reads a body of the largest size', async () => {
    await send(
      ask('POST /items/1', `${LAST}Content-Length: ${LARGEST}\r\n`) + large.slice(0, LARGEST),
    );
    expect(seen.map(({ body }) => body?.length)).toEqual([LARGEST]);
  });

  it('listens at every address of localhost', async () => {
    const addresses = await lookup('localhost', { all: true });
    const other = new HttpServer({
      tls: undefined,
      ignoreDuplicateSlashes: false,
      onMissing: (_request, response) => respond(response, 204, {}, ''),
      onError: () => undefined,
    });
    const shared = await other.listen('localhost', 0);
    for (const { address, family } of addresses) {
      const host = family === 6 ? `[${address}]` : address;
      expect((await fetch(`http://${host}:${shared}`)).status).toBe(204);
    }
    await other.close();
  });

  it('says which port it cannot listen at', async () => {
    await expect(server.listen('127.0.0.1', port)).rejects.toThrow(CannotListenError);
  });

  it('ends a connection whose answer never comes when it closes', async () => {
    server.route('GET', '/silent', () => undefined);
    const answer = fetch(`http://127.0.0.1:${port}/silent`);
    const ended = answer.catch((error: unknown) => String(error));
    await fetch(`http://127.0.0.1:${port}/items/1`);
    await server.close();
    expect(await ended).toBe('TypeError: fetch failed');
  });
});
