import { access, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { planted } from './planted.source.mjs';

const SOURCE = /\.ts$/;

/** The `.js` of an ESM import is the `.ts` beside it. */
export async function resolve(specifier, context, next) {
  if (
    /^\.{1,2}\//.test(specifier) &&
    specifier.endsWith('.js') &&
    SOURCE.test(context.parentURL ?? '')
  ) {
    const url = new URL(`${specifier.slice(0, -3)}.ts`, context.parentURL);
    if (await exists(url)) return { url: url.href, shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!SOURCE.test(url)) return next(url, context);
  const { code } = await transform(planted(url, await readFile(new URL(url), 'utf8')), {
    filename: fileURLToPath(url),
    swcrc: false,
    sourceMaps: 'inline',
    jsc: {
      target: 'es2022',
      keepClassNames: true,
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}

async function exists(url) {
  try {
    await access(url);
    return true;
  } catch {
    return false;
  }
}
