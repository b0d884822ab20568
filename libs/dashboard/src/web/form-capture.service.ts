import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { isFormRoute } from './form-route.decorator.js';
import { readBytes, type CapturedBody } from './form.dto.js';

const CAPTURED = Symbol('tillkit:form');
const HIDDEN = Symbol('tillkit:hidden-headers');

/** The part of Fastify that the capture uses. */
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
    [CAPTURED]?: CapturedBody;
    [HIDDEN]?: Record<string, string>;
  };
}

/** If a request has none of these headers, Fastify runs no body parser, applies no limit and refuses no media type. */
const BODY_HEADERS = ['content-type', 'content-length', 'transfer-encoding'] as const;

/** The captured body of a form on Fastify. Undefined on Express, where {@link readForm} reads the stream itself. */
export function capturedBody(request: object): CapturedBody | undefined {
  return (request as Partial<FastifyRequest>).raw?.[CAPTURED];
}

/**
 * Reads forms on Fastify before Fastify chooses a body parser. An application without a parser for forms would answer
 * 415, and adding a parser would change the application's own routes.
 */
@Injectable()
export class FormCaptureService {
  constructor(host: HttpAdapterHost) {
    host.init$.subscribe(() => {
      const adapter = host.httpAdapter as HttpAdapterHost['httpAdapter'] | null;
      if (adapter?.getType() === 'fastify') captureForms(adapter.getInstance());
    });
  }
}

function captureForms(app: FastifyApp): void {
  app.addHook('onRoute', (route) => {
    if (!isFormRoute(route.config)) return;
    route.preParsing = async ({ raw }, _reply, payload) => {
      raw[CAPTURED] = await readBytes(payload);
      hideBodyHeaders(raw);
    };
    // Guards and interceptors of the host must see the original headers.
    route.preValidation = ({ raw }, _reply, done) => {
      Object.assign(raw.headers, raw[HIDDEN]);
      done();
    };
  });
}

function hideBodyHeaders(raw: FastifyRequest['raw']): void {
  const headers: Record<string, string> = {};
  for (const name of BODY_HEADERS) {
    const value = raw.headers[name];
    if (value === undefined) continue;
    headers[name] = value;
    // Fastify tests for undefined.
    (raw.headers as Record<string, unknown>)[name] = undefined;
  }
  raw[HIDDEN] = headers;
}
