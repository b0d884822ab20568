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
 * connections, shutdown.
 */
export const PLATFORMS = [EXPRESS, FASTIFY] as const;
