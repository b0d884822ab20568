/** Returns the name that differs least from another one; undefined when there are none. */
export function nearest<Name extends string>(
  wanted: string,
  names: readonly Name[],
): Name | undefined {
  const [first] = names
    .map((name) => ({ name, far: distance(wanted, name) }))
    .toSorted((one, other) => one.far - other.far);
  return first?.name;
}

/** Returns the Levenshtein distance: how many letters are to be added, removed or replaced. */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(one).entries()) {
    const above = row;
    row = [at + 1];
    for (const [to, wanted] of Array.from(other).entries())
      row.push(
        Math.min(above[to]! + (letter === wanted ? 0 : 1), above[to + 1]! + 1, row[to]! + 1),
      );
  }
  return row.at(-1)!;
}
