import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { readBytes, type TakenBody } from './form.reader.js';
import { isFormRoute } from './form-route.decorator.js';

const TAKEN = Symbol('tillkit:form');
const HIDDEN = Symbol('tillkit:hidden-headers');

/** As much of Fastify as is needed to take the forms of our routes. */
interface FastifyApp {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
}

interface FastifyRoute {
  config?: unknown;
  preParsing?: (
    request: FastifyRequest,
    reply: unknown,
    payload: AsyncIterable<Buffer>,
  ) => Promise<void>;
  preValidation?: (request: FastifyRequest, reply: unknown, done: () => void) => void;
}

interface FastifyRequest {
  raw: {
    headers: IncomingHttpHeaders;
    [TAKEN]?: TakenBody;
    [HIDDEN]?: Record<string, string>;
  };
}

/** Without these Fastify runs no parser, applies no limit and refuses no media type. */
const BODY_HEADERS = ['content-type', 'content-length', 'transfer-encoding'] as const;

/** The body of a form as it came to a route of ours on Fastify; undefined on Express, where its stream waits. */
export function takenBody(request: object): TakenBody | undefined {
  return (request as Partial<FastifyRequest>).raw?.[TAKEN];
}

/**
 * Takes forms on Fastify before any parser is looked for: an application without one for forms would answer them 415, and
 * we must not give it one, since that would change its own routes.
 */
@Injectable()
export class FormCapture {
  constructor(host: HttpAdapterHost) {
    host.init$.subscribe(() => {
      const adapter = host.httpAdapter as HttpAdapterHost['httpAdapter'] | null;
      if (adapter?.getType() === 'fastify') capture(adapter.getInstance());
    });
  }
}

function capture(app: FastifyApp): void {
  app.addHook('onRoute', (route) => {
    if (!isFormRoute(route.config)) return;
    route.preParsing = async ({ raw }, _reply, payload) => {
      raw[TAKEN] = await readBytes(payload);
      hide(raw);
    };
    // Guards and interceptors of the host see the request as it came.
    route.preValidation = ({ raw }, _reply, done) => {
      Object.assign(raw.headers, raw[HIDDEN]);
      done();
    };
  });
}

function hide(raw: FastifyRequest['raw']): void {
  const headers: Record<string, string> = {};
  for (const name of BODY_HEADERS) {
    const value = raw.headers[name];
    if (value === undefined) continue;
    headers[name] = value;
    // Fastify asks for undefined.
    (raw.headers as Record<string, unknown>)[name] = undefined;
  }
  raw[HIDDEN] = headers;
}
