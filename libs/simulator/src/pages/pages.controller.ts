import { PAGE_HEADERS } from '@tillkit/pages';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { TrustedHosts } from '../server/trusted-hosts.service.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { ASSETS } from './assets.constants.js';
import { controlPage } from './control.page.js';
import { framePage, type Page } from './frame.page.js';
import { linkPage } from './link.page.js';
import { readPageQuery, type PageQuerystring } from './page-query.dto.js';

/** Serves the pages. The journal does not contain their requests, and no fault applies to them. */
export class PagesController {
  constructor(server: FastifyInstance, simulator: SimulatedPlatform, hosts: TrustedHosts) {
    // Its own scope: the hook is for the pages only.
    void server.register((app, _options, done) => {
      app.addHook('onRequest', async (request, reply) => {
        const refusal = hosts.refusal(request);
        if (refusal !== null) await reply.code(403).type('text/plain; charset=utf-8').send(refusal);
      });
      app.get<{ Querystring: PageQuerystring }>('/', (request, reply) =>
        send(reply, controlPage(simulator, readPageQuery(simulator, request.query))),
      );
      app.get<{ Params: { id: string } }>('/links/:id', (request, reply) =>
        send(reply, linkPage(simulator, request.params.id)),
      );
      // One route for each file, so that the platform itself answers any other path.
      for (const name of ASSETS.names) {
        app.get(`/assets/${name}`, async (request, reply) => {
          const asset = ASSETS.respond(name, request.headers['if-none-match'])!;
          await reply.code(asset.status).headers(asset.headers).send(asset.body);
        });
      }
      done();
    });
  }
}

async function send(reply: FastifyReply, page: Page): Promise<void> {
  await reply
    .code(page.status ?? 200)
    .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(framePage(page));
}
