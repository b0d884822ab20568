import type { INestApplication, NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { TestingModule } from '@nestjs/testing';

export interface Platform {
  platform: 'express' | 'fastify';
  create(module: TestingModule, options?: NestApplicationOptions): INestApplication;
  /** An application whose own parser takes no body of more than 10 bytes. */
  createTiny(module: TestingModule): INestApplication;
}

/** The two platforms that every end-to-end suite runs on, in one loop. */
export const PLATFORMS: readonly Platform[] = [
  {
    platform: 'express',
    create: (module, options) => module.createNestApplication(new ExpressAdapter(), options),
    createTiny: (module) => {
      const app = module.createNestApplication<NestExpressApplication>(new ExpressAdapter(), {
        bodyParser: false,
      });
      app.useBodyParser('json', { limit: 10 });
      return app;
    },
  },
  {
    platform: 'fastify',
    create: (module, options) =>
      module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), options),
    createTiny: (module) =>
      module.createNestApplication<NestFastifyApplication>(new FastifyAdapter({ bodyLimit: 10 })),
  },
];

export { freePort } from './free.port.js';
