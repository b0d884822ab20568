/** Runs TypeScript sources in a process of their own: node --conditions=@tillkit/source --import ./test/support/typescript.register.mjs FILE.ts */
import { register } from 'node:module';

register('./typescript.hooks.mjs', import.meta.url);
