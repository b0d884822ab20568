import type { DynamicModule, INestApplication, ModuleMetadata, Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { Platform } from './platform.js';

/** Returns a host's application, which listens at this port of 127.0.0.1 and logs nothing. An application that does not start is closed. */
export async function listeningAt(
  port: number,
  platform: Platform,
  metadata: ModuleMetadata,
  configure?: (app: INestApplication) => void,
): Promise<INestApplication> {
  const module = await Test.createTestingModule(metadata)
    .setLogger(false as never)
    .compile();
  const app = platform.create(module);
  app.useLogger(false);
  configure?.(app);
  try {
    await app.listen(port, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  return app;
}

/** Returns a module of the host that provides a value. */
export function moduleOf(provide: object, useValue: object, global = false): DynamicModule {
  return {
    module: class ValueModule {},
    global,
    providers: [{ provide: provide as Type, useValue }],
    exports: [provide as Type],
  };
}
