import { html, PAGE_HEADERS } from '@tillkit/pages';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { TrustedHosts } from '../server/trusted-hosts.service.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { entryDetails } from './activity.fragment.js';
import { ASSETS } from './assets.constants.js';
import { controlPage } from './control.page.js';
import { framePage, type Page } from './frame.page.js';
import { linkPage } from './link.page.js';
import { readPageQuery, type PageQuerystring } from './page-query.dto.js';

/** Serves the pages. The journal does not contain their requests, and no fault applies to them. */
export class PagesController {
  constructor(server: FastifyInstance, simulator: SimulatedPlatform, hosts: TrustedHosts) {
    // The pages have their own scope, because the hook is only for them.
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
      // The details that a reader opens in the list of the first page.
      app.get<{ Params: { sequence: string } }>('/entries/:sequence', async (request, reply) => {
        const sequence = Number(request.params.sequence);
        const [entry] = simulator.journal.entries(sequence - 1);
        const isKept = entry?.sequence === sequence;
        const details = isKept
          ? entryDetails(simulator, entry)
          : html`<p>It is not kept any more.</p>`;
        await sendHtml(reply, isKept ? 200 : 404, details.toString());
      });
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
  await sendHtml(reply, page.status ?? 200, framePage(page));
}

async function sendHtml(reply: FastifyReply, status: number, markup: string): Promise<void> {
  await reply
    .code(status)
    .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(markup);
}
