/** The first word of a search, and the rest of it. */
export function wordsOf(search: string): [first: string, rest: string] {
  const [first = '', ...rest] = search.trim().split(/\s+/u);
  return [first, rest.join(' ')];
}
