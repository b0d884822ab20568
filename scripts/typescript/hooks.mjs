/** Node loads our TypeScript sources with these hooks: the `.js` of an import is the `.ts` beside it, and its text is transpiled. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transpile } from './transpile.mjs';

// A source may be imported again under another query.
const SOURCE = /\.ts(\?.*)?$/;

/**
 * @param {(url: string, text: string) => string} alter changes a source before it is transpiled
 * @param {string[]} conditions of exports, beside those of the command line
 */
export function hooksFor(alter, conditions = []) {
  return {
    resolve: (specifier, context, next) => {
      if (/^\.{1,2}\/.*\.js$/.test(specifier) && SOURCE.test(context.parentURL ?? '')) {
        const url = new URL(`${specifier.slice(0, -3)}.ts`, context.parentURL);
        if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
      }
      return next(specifier, { ...context, conditions: [...context.conditions, ...conditions] });
    },
    load: (url, context, next) => {
      if (!SOURCE.test(url)) return next(url, context);
      const path = fileURLToPath(url);
      const source = transpile(path, alter(url, readFileSync(path, 'utf8')));
      return { format: 'module', source, shortCircuit: true };
    },
  };
}

export const { resolve, load } = hooksFor((_, text) => text, ['@tillkit/source']);
