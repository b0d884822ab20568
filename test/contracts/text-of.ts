/** Returns all that an object keeps, however deep: texts, bytes as text, keys, and dates. */
export function textOf(root: unknown): string {
  const seen = new Set<object>();
  const texts: string[] = [];
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) {
      if (typeof value !== 'function') texts.push(String(value));
    } else if (Buffer.isBuffer(value)) texts.push(value.toString());
    else if (!seen.has(value)) {
      seen.add(value);
      if (value instanceof Map) waiting.push(...[...value].flat());
      else if (value instanceof Set) waiting.push(...value);
      waiting.push(...Object.entries(value).flat());
    }
  }
  return texts.join('\n');
}
