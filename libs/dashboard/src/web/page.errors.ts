/** An error that the dashboard answers with a page. Its texts are for the operator. */
export class PageError extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 409,
    readonly title: string,
    readonly text: string,
  ) {
    super(title);
  }
}

export function notFound(what: string): PageError {
  return new PageError(
    404,
    `There is no such ${what}`,
    `The address may be incomplete or mistyped, or the ${what} belongs to another account.`,
  );
}
