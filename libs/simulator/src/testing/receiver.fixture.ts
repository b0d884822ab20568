import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';

/** A delivery as the application received it. */
export interface ReceivedDelivery {
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of a body
  body: any;
}

/** The application in a test: receives deliveries and answers with the given statuses. */
export interface Receiver {
  url: string;
  received: ReceivedDelivery[];
  /** Statuses of the next answers; 200 when there are no more. 0 never answers. */
  answers: number[];
  onDelivery: ((delivery: ReceivedDelivery) => void | Promise<void>) | undefined;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    answers: [],
    onDelivery: undefined,
    stop: () => Promise.resolve(),
  };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    const delivery = { path: request.url ?? '', headers: request.headers, raw, body: parse(raw) };
    receiver.received.push(delivery);
    await receiver.onDelivery?.(delivery);
    const status = receiver.answers.shift() ?? 200;
    if (status === 0) return;
    response.writeHead(status, status === 302 ? { location: `${receiver.url}/elsewhere` } : {});
    response.end();
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  receiver.url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  receiver.stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return receiver;
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
