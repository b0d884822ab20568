import type { INestApplication, NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { TestingModule } from '@nestjs/testing';

export interface Platform {
  platform: 'express' | 'fastify';
  create(module: TestingModule, options?: NestApplicationOptions): INestApplication;
  /** Creates an application whose own parser accepts no body of more than 10 bytes. */
  createTiny(module: TestingModule): INestApplication;
}

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

/**
 * Tests of what a payment, merchant, listener, sweep, store or page does run on this platform, because the results are the same on every
 * one. Express costs less to load and start than Fastify. Tests that depend on the platform run on all {@link PLATFORMS}.
 */
export const PLATFORM = EXPRESS;
