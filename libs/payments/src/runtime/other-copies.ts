/** Returns a problem that only a second copy of this package in one application can make, with the cure. */
export function copiesProblem(what: string): string {
  return (
    `two copies of @tillkit/payments are installed: ${what}. Find them with \`npm ls @tillkit/payments\` or \`pnpm why -r ` +
    '@tillkit/payments`, and install one: the same version in every package of a monorepo, with the same versions of its peers, and no npm link'
  );
}

/**
 * True when a value is of a class that another copy of its package has in place of the one that we import.
 * @param field what each object of the class has: a host may have a class with the same name
 */
export function isOfOtherCopy(
  value: unknown,
  own: { name: string; prototype: object },
  field: string,
): boolean {
  if (typeof value !== 'object' || value === null || !(field in value)) return false;
  const prototypes: object[] = [];
  for (
    let next = Object.getPrototypeOf(value) as object | null;
    next !== null;
    next = Object.getPrototypeOf(next) as object | null
  )
    prototypes.push(next);
  return (
    !prototypes.includes(own.prototype) &&
    prototypes.some(({ constructor }) => constructor?.name === own.name)
  );
}
