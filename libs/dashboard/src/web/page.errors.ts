import { WORDS } from '../words/english.words.js';

export interface ProblemText {
  title: string;
  text: string;
}

/** An error that the dashboard answers with a page. */
export class PageError extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 409 | 503,
    readonly text: ProblemText,
  ) {
    super(text.title);
  }
}

export function notFound(what: keyof typeof WORDS.errors.notFound): PageError {
  return new PageError(404, WORDS.errors.notFound[what]);
}
