/** Only starts the application of the README (`./shop.js`), to see whether it can start as it is built. */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './shop.js';

NestFactory.createApplicationContext(AppModule, { logger: ['error'], abortOnError: false })
  .then((app) => app.close())
  .catch((error: unknown) => {
    console.error(String(error));
    process.exit(1);
  });
