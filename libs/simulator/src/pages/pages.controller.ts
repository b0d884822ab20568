import { PAGE_HEADERS } from '@tillkit/pages';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { TrustedHosts } from '../server/trusted-hosts.service.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { ASSETS } from './assets.constants.js';
import { connectPage } from './connect.page.js';
import { controlPage } from './control.page.js';
import { faultsPage } from './faults.page.js';
import { framePage, type Page } from './frame.page.js';
import { handsetsPage } from './handsets.page.js';
import { linkPage } from './link.page.js';
import { chooseMerchant } from './merchant.fragment.js';
import { moneyPage } from './money.page.js';
import { startPage } from './start.page.js';

/** A page about one merchant or all. */
interface OfMerchant {
  Querystring: { merchant?: string | string[] };
}

/** The pages about one merchant or all. */
const OF_MERCHANT = {
  '/': startPage,
  '/control': controlPage,
  '/control/faults': faultsPage,
  '/control/money': moneyPage,
  '/control/connect': connectPage,
};

/** Serves the pages. The journal does not contain their requests, and no fault applies to them. */
export class PagesController {
  constructor(server: FastifyInstance, simulator: SimulatedPlatform, hosts: TrustedHosts) {
    // Its own scope: the hook is for the pages only.
    void server.register((app, _options, done) => {
      PagesController.addTo(app, simulator, hosts);
      done();
    });
  }

  private static addTo(
    app: FastifyInstance,
    simulator: SimulatedPlatform,
    hosts: TrustedHosts,
  ): void {
    app.addHook('onRequest', async (request, reply) => {
      const refusal = hosts.refusal(request);
      if (refusal !== null) await reply.code(403).type('text/plain; charset=utf-8').send(refusal);
    });
    for (const [path, page] of Object.entries(OF_MERCHANT)) {
      app.get<OfMerchant>(path, (request, reply) =>
        send(reply, page(simulator, chooseMerchant(simulator, request.query.merchant))),
      );
    }
    app.get<{ Querystring: { phone?: string | string[] } }>('/handsets', (request, reply) =>
      send(reply, handsetsPage(simulator, [request.query.phone ?? []].flat())),
    );
    app.get<{ Params: { phone: string } }>('/handset/:phone', (request, reply) =>
      send(reply, handsetsPage(simulator, [request.params.phone])),
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
  }
}

async function send(reply: FastifyReply, page: Page): Promise<void> {
  await reply
    .code(page.status ?? 200)
    .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(framePage(page));
}
