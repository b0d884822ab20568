/** The webhook handler of k2-connect-node on Express, mounted as its README shows. */
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { API_KEY } from '../bench.constants.js';
import { host } from './subject.host.js';

interface Peer {
  Webhooks: { webhookHandler(request: Request, response: Response): Promise<unknown> };
}

const connect = createRequire(import.meta.url)('k2-connect-node') as (options: object) => Peer;
const { Webhooks } = connect({
  clientId: 'bench-client-id',
  clientSecret: 'bench-client-secret',
  baseUrl: 'http://127.0.0.1:9',
  apiKey: API_KEY,
});

let received = 0;
const app = express();
app.use(express.json());
app.post('/payments/webhooks', (request, response) => {
  Webhooks.webhookHandler(request, response).then(
    () => (received += 1),
    () => undefined,
  );
});
const server = app.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as AddressInfo;
host({ url: () => `http://127.0.0.1:${port}`, received: () => received });
