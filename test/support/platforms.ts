import type { INestApplication, NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { TestingModule } from '@nestjs/testing';

export interface Platform {
  platform: 'express' | 'fastify';
  create(module: TestingModule, options?: NestApplicationOptions): INestApplication;
  /** An application whose own parser accepts no body of more than 10 bytes. */
  createTiny(module: TestingModule): INestApplication;
}

/** For suites without incoming HTTP: they run on one platform, and a comment says why. */
export const EXPRESS: Platform = {
  platform: 'express',
  create: (module, options) => module.createNestApplication(new ExpressAdapter(), options),
  createTiny: (module) => {
    const app = module.createNestApplication<NestExpressApplication>(new ExpressAdapter(), {
      bodyParser: false,
    });
    app.useBodyParser('json', { limit: 10 });
    return app;
  },
};

const FASTIFY: Platform = {
  platform: 'fastify',
  create: (module, options) =>
    module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), options),
  createTiny: (module) =>
    module.createNestApplication<NestFastifyApplication>(new FastifyAdapter({ bodyLimit: 10 })),
};

/**
 * Every other end-to-end suite runs on both platforms in one loop. The built packages are the same code, so their tests run on one
 * platform.
 */
export const PLATFORMS =
  process.env['TEST_TARGET'] === 'dist' ? ([FASTIFY] as const) : ([EXPRESS, FASTIFY] as const);

export { freePort } from './free.port.js';
