/** See transpile.mjs. */
export function transpile(path: string, text: string): string;
