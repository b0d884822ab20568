import type { ServerResponse } from 'node:http';
import { html, PAGE_HEADERS } from '@tillkit/pages';
import { type HttpHandler, type HttpServer, respond } from '../server/http-server.js';
import type { TrustedHosts } from '../server/trusted-hosts.service.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { entryDetails } from './activity.fragment.js';
import { ASSETS } from './assets.constants.js';
import { controlPage } from './control.page.js';
import { framePage, type Page } from './frame.page.js';
import { linkPage } from './link.page.js';
import { readPageQuery } from './page-query.dto.js';

/** Serves the pages. The journal does not contain their requests, and no fault applies to them. */
export class PagesController {
  constructor(server: HttpServer, simulator: SimulatedPlatform, hosts: TrustedHosts) {
    const get = (path: string, handle: HttpHandler): void =>
      server.route('GET', path, (request, response) => {
        const refusal = hosts.refusal(request);
        if (refusal === null) return handle(request, response);
        respond(response, 403, { 'content-type': 'text/plain; charset=utf-8' }, refusal);
      });
    get('/', ({ query }, response) =>
      send(response, controlPage(simulator, readPageQuery(simulator, query))),
    );
    get('/links/:id', ({ params }, response) =>
      send(response, linkPage(simulator, params['id'] ?? '')),
    );
    // The details that a reader opens in the list of the first page.
    get('/entries/:sequence', ({ params }, response) => {
      const sequence = Number(params['sequence']);
      const [entry] = simulator.journal.entries(sequence - 1);
      const isKept = entry?.sequence === sequence;
      const details = isKept
        ? entryDetails(simulator, entry)
        : html`<p>It is not kept any more.</p>`;
      sendHtml(response, isKept ? 200 : 404, details.toString());
    });
    // One route for each file, so that the platform itself answers any other path.
    for (const name of ASSETS.names)
      get(`/assets/${name}`, ({ headers }, response) => {
        const asset = ASSETS.respond(name, headers['if-none-match'])!;
        respond(response, asset.status, asset.headers, asset.body);
      });
  }
}

function send(response: ServerResponse, page: Page): void {
  sendHtml(response, page.status ?? 200, framePage(page));
}

function sendHtml(response: ServerResponse, status: number, markup: string): void {
  const headers = {
    ...PAGE_HEADERS,
    'cache-control': 'no-store',
    'content-type': 'text/html; charset=utf-8',
  };
  respond(response, status, headers, markup);
}
