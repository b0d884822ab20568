import type { IncomingHttpHeaders } from 'node:http';

/** A request as Express and Fastify both have it, as far as the pages need it. */
export interface PlatformRequest {
  url: string;
  /** With what a router above has taken off. */
  originalUrl?: string;
  headers: IncomingHttpHeaders;
  params?: unknown;
  /** What a parser of the host made of the body, if it has one. */
  body?: unknown;
}
