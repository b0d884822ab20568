import { hooksFor } from '../../scripts/typescript/hooks.mjs';
import { planted } from './planted.source.mjs';

const GLOBALS = new URL('./jest/globals.mjs', import.meta.url).href;
const sources = hooksFor(planted);

export const { load } = sources;

export function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  return sources.resolve(specifier, context, next);
}
