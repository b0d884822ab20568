/**
 * Runs TypeScript sources, with the planted fault if there is one, in Jest's workers and in their own processes:
 * node --conditions=@tillkit/source --import ./test/support/typescript.register.mjs FILE.ts
 */
import module from 'node:module';

// Node 20 can run hooks only in their own thread.
if (module.registerHooks) module.registerHooks(await import('./typescript.hooks.mjs'));
else module.register('./typescript.hooks.mjs', import.meta.url);
