import { ENGLISH, type Words } from '../words/english.words.js';

/** What a page says about a problem. */
export interface ProblemText {
  title: string;
  text: string;
}

/** An error that the dashboard answers with a page, in the words of the dashboard. */
export class PageError extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 409 | 503,
    readonly textIn: (words: Words) => ProblemText,
  ) {
    super(textIn(ENGLISH).title);
  }
}

export function notFound(what: keyof Words['errors']['notFound']): PageError {
  return new PageError(404, ({ errors }) => errors.notFound[what]);
}
