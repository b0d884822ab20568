import type { Attributes } from '@opentelemetry/api';
import type { KnownAccounts } from '../known-accounts.js';
import { ATTRIBUTE } from './telemetry-names.js';

const NONE: Attributes = {};

/** The account as an attribute of a metric, if the account wants that: each account then has its own time series. */
export function accountAttributes(
  accounts: Pick<KnownAccounts, 'has' | 'of'>,
  account: string,
): Attributes {
  // Work may end after its account was forgotten.
  const isWanted = accounts.has(account) && accounts.of(account).telemetry.accountInMetrics;
  return isWanted ? { [ATTRIBUTE.account]: account } : NONE;
}
