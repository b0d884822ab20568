import type { IncomingHttpHeaders } from 'node:http';

/** The part of a request that Express and Fastify have in common and that the pages use. */
export interface HttpRequest {
  url: string;
  /** The URL with the part that an outer router removed. */
  originalUrl?: string;
  headers: IncomingHttpHeaders;
  params?: unknown;
  /** The body as a parser of the host made it, if there is one. */
  body?: unknown;
}
