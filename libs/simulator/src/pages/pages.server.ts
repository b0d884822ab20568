import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Simulator } from '../simulator.js';
import { ASSETS } from './assets.catalogue.js';
import { controlPage } from './control.page.js';
import { handsetsPage } from './handsets.page.js';
import { PAGE_HEADERS } from './page.headers.js';
import { renderPage, type Page } from './page.layout.js';
import { startPage } from './start.page.js';

/** Serves the pages beside the platform; neither the journal nor a fault takes notice of them. */
export class PagesServer {
  constructor(app: FastifyInstance, simulator: Simulator) {
    app.get('/', (_request, reply) => send(reply, startPage(simulator)));
    app.get<{ Querystring: { phone?: string | string[] } }>('/handsets', (request, reply) =>
      send(reply, handsetsPage(simulator, [request.query.phone ?? []].flat())),
    );
    app.get<{ Params: { phone: string } }>('/handset/:phone', (request, reply) =>
      send(reply, handsetsPage(simulator, [request.params.phone])),
    );
    app.get('/control', (_request, reply) => send(reply, controlPage(simulator)));
    for (const [name, { type, content, tag }] of ASSETS) {
      app.get(`/assets/${name}`, async (request, reply) => {
        reply.headers({ ...PAGE_HEADERS, 'cache-control': 'no-cache', etag: tag });
        if (request.headers['if-none-match'] === tag) return reply.code(304).send();
        return reply.type(type).send(content);
      });
    }
  }
}

async function send(reply: FastifyReply, page: Page): Promise<void> {
  await reply
    .code(page.status ?? 200)
    .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(renderPage(page));
}
