/** Runs the TypeScript sources of this repository: node --import ./scripts/typescript/register.mjs FILE.ts */
import module from 'node:module';

// Node 20 has only hooks in a thread of their own.
if (module.registerHooks) module.registerHooks(await import('./hooks.mjs'));
else module.register('./hooks.mjs', import.meta.url);
