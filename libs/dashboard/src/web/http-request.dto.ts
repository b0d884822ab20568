import type { IncomingHttpHeaders } from 'node:http';

/** The properties of a request that the pages use. Express and Fastify both have them. */
export interface HttpRequest {
  url: string;
  /** The URL before an outer router removed its part. */
  originalUrl?: string;
  headers: IncomingHttpHeaders;
  params?: unknown;
  /** The result of the host's body parser, if there is one. */
  body?: unknown;
}
