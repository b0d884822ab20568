import http, { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, LookupFunction, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Runtime } from '../../runtime/clock.js';
import { Connections } from './connections.js';
import { AnswerTooLarge, exchange, type Exchange } from './exchange.js';
import { freePermission, WritePermission } from './write-permission.js';

const LONG_MS = 60_000;

let server: Server;
let connections: Connections;

/** Opens a server that answers so, and the connections to it. */
const open = async (answer: RequestListener): Promise<void> => {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const options = { maxSockets: 4, tls: {}, proxy: undefined };
  connections = new Connections(`http://127.0.0.1:${port}`, options, new Runtime());
};

afterEach(async () => {
  connections.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a request to a platform', () => {
  /** Sends a request to a server that answers so. */
  const send = async (
    answer: RequestListener,
    changes: Partial<Exchange> = {},
  ): Promise<{ answer: { statusCode?: number | undefined }; text: string }> => {
    await open(answer);
    const most = { timeoutMs: LONG_MS, maxBytes: 100, shutdown: undefined };
    const sent = { method: 'POST', path: '/', headers: {}, body: '{"name":"Wanjikũ"}' };
    const permission = freePermission('test', new Runtime());
    return exchange(connections, { ...sent, ...most, ...changes }, permission);
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
    await expect(send(large)).rejects.toThrow(AnswerTooLarge);
  });

  it('fails without what came when that is no HTTP: it may be a token', async () => {
    const sent = send(({ socket }) => void socket.write('{"access_token":"a-secret"}'));
    const error: unknown = await sent.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'HPE_INVALID_CONSTANT' });
    expect(error).not.toHaveProperty('rawPacket');
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

describe('a create', () => {
  const LOCALHOST = { address: '127.0.0.1', family: 4 };
  const STRAY = 'HTTP/1.1 201 Created\r\nLocation: /of-another\r\nContent-Length: 0\r\n\r\n';
  let received: string[];
  let opened: Socket[];

  beforeEach(async () => {
    received = [];
    opened = [];
    await open((request, response) => {
      received.push(request.url as string);
      response.writeHead(201, { Location: `${request.url}` }).end();
    });
    server.on('connection', (socket) => opened.push(socket));
  });

  const create = async (
    path: string,
    { assertNow = () => undefined }: { assertNow?: () => void } = {},
  ): Promise<string | undefined> => {
    const rules = {
      operation: path,
      ask: () => Promise.resolve(),
      assertNow,
      leftMs: LONG_MS,
    };
    const sent = { method: 'POST', path, headers: {}, body: '{}' };
    const limits = { timeoutMs: LONG_MS, maxBytes: 100, shutdown: undefined };
    const permission = new WritePermission(rules, new Runtime());
    const { answer } = await exchange(connections, { ...sent, ...limits }, permission);
    return answer.headers.location;
  };

  it.each<[string, (socket: Socket) => unknown]>([
    ['an answer that nobody has asked for', (socket) => socket.write(STRAY)],
    ['the end of the connection', (socket) => socket.destroy()],
  ])(
    'goes out on another connection when %s has arrived, which a busy process has not read yet',
    async (_, happens) => {
      await create('/one');
      happens(opened[0] as Socket);
      expect(await create('/two')).toBe('/two');
      expect(received).toEqual(['/one', '/two']);
      expect(opened).toHaveLength(2);
    },
  );

  it('is not written before its permission is used when a tool of the host has replaced the agent, and its connection takes long', async () => {
    const { request } = http;
    let connect: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (connect = resolve));
    const lookup: LookupFunction = (_, __, found) => void wait.then(() => found(null, [LOCALHOST]));
    const agent = new http.Agent({ lookup } as object);
    http.request = ((options: object) =>
      request({ ...options, hostname: 'localhost', agent })) as never;
    let isOver = false;
    const assertNow = (): void => {
      if (isOver) throw new Error('its time is over');
    };
    const sent = create('/one', { assertNow });
    http.request = request;
    for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
    isOver = true;
    connect();
    await expect(sent).rejects.toThrow('its time is over');
    expect(received).toEqual([]);
    agent.destroy();
  });

  it('is not written to a connection on which an answer came as it was opened', async () => {
    server.prependListener('connection', (socket: Socket) => socket.write(STRAY));
    await expect(create('/one')).rejects.toThrow('before it was asked');
    expect(received).toEqual([]);
  });
});
