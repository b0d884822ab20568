/** Returns rows in which every pair of values of two factors occurs at least once: greedy, always the same. */
export function pairwise(factors) {
  const names = Object.keys(factors);
  const missing = new Set();
  for (const [index, one] of names.entries())
    for (const other of names.slice(index + 1))
      for (const first of factors[one])
        for (const second of factors[other]) missing.add(pair(one, first, other, second));
  const all = rowsOf(factors, names);
  const rows = [];
  while (missing.size > 0) {
    const best = all.reduce((found, row) => {
      const covers = pairsOf(row, names).filter((each) => missing.has(each)).length;
      return found && found.covers >= covers ? found : { row, covers };
    }, null);
    for (const each of pairsOf(best.row, names)) missing.delete(each);
    rows.push(best.row);
  }
  return rows;
}

export function pairsOf(row, names = Object.keys(row)) {
  return names.flatMap((one, index) =>
    names.slice(index + 1).map((other) => pair(one, row[one], other, row[other])),
  );
}

function pair(one, first, other, second) {
  return `${one}=${first} ${other}=${second}`;
}

function rowsOf(factors, [name, ...names]) {
  if (name === undefined) return [{}];
  const rest = rowsOf(factors, names);
  return factors[name].flatMap((value) => rest.map((row) => ({ [name]: value, ...row })));
}
