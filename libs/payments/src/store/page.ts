/** Asks for one page of a long list. Keyset pagination: the thousandth page costs as much as the first one. @publicApi */
export interface PageRequest {
  /** Maximum number of items, 1 to 1,000. */
  limit: number;
  /** `next` of the previous page. Omit it for the first page. */
  after?: string;
  /** Whether an answer that is a little old is good enough, as for a page: then a replica of the database may give it. */
  mayBeOld?: boolean;
}

/** One page of a list. @publicApi */
export interface Page<T> {
  items: T[];
  /** Pass it as `after` to get the next page; null on the last page. */
  next: string | null;
  /**
   * The time down to which the store has looked, if it stopped before the page was full: it looks at a limited number of rows for a page,
   * so that a filter that fits few of them costs no more than another. The next page goes on from there.
   */
  lookedTo?: Date;
}
