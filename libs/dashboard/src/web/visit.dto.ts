import type { PaymentsAccount } from '@tillkit/payments';
import { ACCOUNTS, ZONE } from '../dashboard.constants.js';
import type { TimeFormat } from '../html/time.format.js';
import type { HttpRequest } from './http-request.dto.js';

export type LinkQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Parameters with days or times, which belong to a time zone. */
const DAYS = ['day', 'from', 'to'];

/** The audit log and the histories use this name when the host names nobody. It may stand for different people. */
export const UNKNOWN_OPERATOR = 'unknown operator';

/** The facts about a request that its pages need. */
export interface Viewer {
  /** Number of path segments of the route below the path of the dashboard. */
  depth: number;
  /** Null if the host names nobody. */
  operator: string | null;
  times: TimeFormat;
  /** The time zone that the browser has sent; null if the options have one for everybody. */
  ownZone: string | null;
  /** False makes the pages read-only. */
  mayAct: boolean;
}

/**
 * One request of an operator. Its links are relative to the request's own URL, so that a global prefix, a version or the
 * path of a proxy cannot break them.
 */
export class AnyVisit {
  readonly query: URLSearchParams;
  private readonly up: string;

  /** The name for the audit log and for histories. */
  readonly operator: string;
  /** Name of the operator; null if the host gives none. We can tell two people apart only by their names. */
  readonly operatorName: string | null;
  /** The times of the page, in the time zone of the operator or of an address that somebody has shared. */
  readonly times: TimeFormat;
  readonly ownZone: string | null;
  /** True when the page may show forms and links of actions. */
  readonly mayAct: boolean;

  constructor(request: HttpRequest, { depth, operator, times, ownZone, mayAct }: Viewer) {
    this.operator = operator ?? UNKNOWN_OPERATOR;
    this.operatorName = operator;
    this.mayAct = mayAct;
    this.times = times;
    this.ownZone = ownZone;
    const [path, query] = split(request.originalUrl ?? request.url);
    this.query = new URLSearchParams(query);
    this.up = upFrom(path, depth);
  }

  /** Returns the first value of a query parameter; undefined when it is missing or empty. */
  parameter(name: string): string | undefined {
    return this.query.get(name)?.trim() || undefined;
  }

  /** Returns a link to a path below the path of the dashboard, relative to the current page. */
  rootLink(path: string, query: LinkQuery = {}): string {
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      (typeof value === 'string' ? [value] : (value ?? [])).map((one): [string, string] => [
        name,
        one,
      ]),
    );
    const text = new URLSearchParams(pairs).toString();
    return `${this.up}${path}${text && `?${text}`}`;
  }
}

/** A visit of a page of one account. */
export class Visit extends AnyVisit {
  /** Fields of the submitted form; empty for a request without one. */
  form = new URLSearchParams();
  /** True when the request is a submitted form. */
  isSubmitted = false;
  /** The version of the stored data when the visit began; empty when nobody watched the account. */
  liveVersion = '';

  constructor(
    request: HttpRequest,
    viewer: Viewer,
    readonly account: PaymentsAccount,
    /** True when the dashboard shows several accounts, so that the path of a page names its account. */
    readonly isOneOfSeveral: boolean,
  ) {
    super(request, viewer);
  }

  /** Returns the first value of a field of the form; undefined when it is missing or empty. */
  field(name: string): string | undefined {
    return this.form.get(name)?.trim() || undefined;
  }

  /** Returns a link to a page of the account, relative to the current page. A link with days also names their time zone. */
  link(page: string, query: LinkQuery = {}): string {
    const folder = this.isOneOfSeveral ? `${ACCOUNTS}/${this.account.name}/` : '';
    const { zone } = this.times;
    const isShared = zone !== this.ownZone || DAYS.some((name) => query[name] !== undefined);
    const zoned = this.ownZone !== null && isShared ? { ...query, [ZONE]: zone } : query;
    return this.rootLink(folder + page, zoned);
  }
}

function split(url: string): [string, string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** At the dashboard's own path without a trailing slash, relative links must repeat its last segment. */
function upFrom(path: string, depth: number): string {
  const below = depth + (path.endsWith('/') ? 1 : 0);
  if (below === 0) return `./${path.slice(path.lastIndexOf('/') + 1)}/`;
  return below === 1 ? './' : '../'.repeat(below - 1);
}
