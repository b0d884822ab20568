/** Injection token of the host's options. */
export const DASHBOARD_OPTIONS = Symbol('PAYMENTS_DASHBOARD_OPTIONS');

/** Injection token of the name of the dashboard's account; null: it shows all accounts. */
export const DASHBOARD_ACCOUNT = Symbol('PAYMENTS_DASHBOARD_ACCOUNT');

/** Injection token of the path of the pages, without leading and trailing slashes. */
export const DASHBOARD_PATH = Symbol('PAYMENTS_DASHBOARD_PATH');

/** Injection token: true when operators may act. Otherwise the pages are read-only, and no action has a route. */
export const DASHBOARD_MAY_ACT = Symbol('PAYMENTS_DASHBOARD_MAY_ACT');

export const DEFAULT_PATH = 'payments-dashboard';
export const DEFAULT_ACCOUNT = 'default';

/** Path of the start page of a dashboard of all accounts; the pages of an account are below it. */
export const ACCOUNTS = 'accounts';

/** One page of a list has this many entries. */
export const PAGE_SIZE = 50;

/** The parameter that names the time zone of the days in an address, so that a shared address means the same days for everybody. */
export const ZONE = 'zone';
