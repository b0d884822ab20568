/** Something that a page answers for itself: what is wrong, in words for whoever looks at it. */
export class DashboardProblem extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 409 | 413,
    readonly title: string,
    readonly text: string,
  ) {
    super(title);
  }
}

export function notFound(what: string): DashboardProblem {
  return new DashboardProblem(
    404,
    `There is no such ${what}`,
    `The address may be cut off or mistyped, or the ${what} belongs to another account.`,
  );
}
