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

/** Returns how many letters are to be added, removed, replaced, or exchanged with the next one. */
export function distance(one: string, other: string): number {
  let [previous, row] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let at = 1; at <= one.length; at += 1) {
    const [twoAbove, above] = [previous, row];
    row = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const isSame = one[at - 1] === other[to - 1];
      const isSwap = one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      row.push(
        Math.min(
          above[to - 1]! + (isSame ? 0 : 1),
          above[to]! + 1,
          row[to - 1]! + 1,
          isSwap ? twoAbove[to - 2]! + 1 : Infinity,
        ),
      );
    }
    previous = above;
  }
  return row.at(-1)!;
}
