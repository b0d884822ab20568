import type { IncomingMessage, ServerResponse } from 'node:http';
import parseurl from 'parseurl';
import type { DeliveryHead } from './delivery-route.js';
import type { RawExchange } from './raw-exchange.js';
import { markOfHandler } from './raw-route.decorator.js';
import type { KnownRoute } from './route-registry.js';

/** The part of an Express 4 or 5 application that we need to find our routes. */
export interface ExpressApp {
  use(
    middleware: (
      request: IncomingMessage,
      response: ServerResponse,
      next: (error?: unknown) => void,
    ) => void,
  ): void;
  router?: { stack: ExpressLayer[] };
  _router?: { stack: ExpressLayer[] };
}

interface ExpressLayer {
  /** Newer routers return the parameters; older ones return true and set `params`. */
  match(path: string): boolean | { params: DeliveryHead['params'] };
  params?: DeliveryHead['params'];
  route?: { path: string; stack: { handle: unknown }[] };
}

type OurLayer = KnownRoute & { layer: ExpressLayer };

/** Finds our routes in an Express application, also routes that are registered later. */
export class ExpressRoutes {
  private seen = -1;
  private layers: OurLayer[] = [];

  constructor(private readonly app: ExpressApp) {}

  all(): readonly OurLayer[] {
    const stack = (this.app.router ?? this.app._router)?.stack ?? [];
    if (stack.length !== this.seen) {
      this.seen = stack.length;
      this.layers = stack.flatMap((layer) => {
        const mark = layer.route?.stack.map(({ handle }) => markOfHandler(handle)).find(Boolean);
        return mark && layer.route ? [{ mark, path: layer.route.path, layer }] : [];
      });
    }
    return this.layers;
  }

  /** Our route of a request, with the parameters in its path. */
  matching(request: IncomingMessage): Pick<RawExchange, 'mark' | 'params'> | null {
    if (request.method !== 'POST') return null;
    // As Express does: it also routes absolute URLs, and reads a backslash as a slash when there is a fragment.
    const path = parseurl(request)?.pathname ?? '';
    for (const { mark, layer } of this.all()) {
      const match = layer.match(path);
      if (match) return { mark, params: match === true ? layer.params : match.params };
    }
    return null;
  }
}
