/** Injection token of the host's options. */
export const DASHBOARD_OPTIONS = Symbol('PAYMENTS_DASHBOARD_OPTIONS');

/** Injection token of the name of the dashboard's account. */
export const DASHBOARD_ACCOUNT = Symbol('PAYMENTS_DASHBOARD_ACCOUNT');

/** Injection token of the path of the pages, without leading and trailing slashes. */
export const DASHBOARD_PATH = Symbol('PAYMENTS_DASHBOARD_PATH');

export const DEFAULT_PATH = 'payments-dashboard';
export const DEFAULT_ACCOUNT = 'default';

/** Entries of a list on one page. */
export const PAGE_SIZE = 50;
