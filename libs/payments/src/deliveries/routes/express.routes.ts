import type { Readable } from 'node:stream';
import type { RawRequest } from './raw-body.js';
import { markOfHandler } from './raw-route.decorator.js';
import type { KnownRoute } from './route.registry.js';

/** The part of an Express 4 or 5 application that we need to find our routes. */
export interface ExpressApp {
  use(
    middleware: (
      request: ExpressRequest,
      response: unknown,
      next: (error?: unknown) => void,
    ) => void,
  ): void;
  router?: { stack: ExpressLayer[] };
  _router?: { stack: ExpressLayer[] };
}

export type ExpressRequest = RawRequest & Readable & { method: string; url: string };

interface ExpressLayer {
  match(path: string): boolean;
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

  matching({ method, url }: ExpressRequest): OurLayer | undefined {
    if (method !== 'POST') return undefined;
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    return this.all().find(({ layer }) => layer.match(path));
  }
}
