import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { EXPRESS, type Platform } from './platform.js';

const FASTIFY: Platform = {
  platform: 'fastify',
  create: (module, options) =>
    module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), options),
  createTiny: (module) =>
    module.createNestApplication<NestFastifyApplication>(new FastifyAdapter({ bodyLimit: 10 })),
};

/**
 * Suites that depend on the platform run on both in one loop: routes, raw bodies, the host's guards, parsers and prefixes, streams,
 * connections, shutdown. The built packages are the same code, so their tests run on one platform.
 */
export const PLATFORMS =
  process.env['TEST_TARGET'] === 'dist' ? ([FASTIFY] as const) : ([EXPRESS, FASTIFY] as const);
