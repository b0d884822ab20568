import type { Chance } from './seeded.chance.js';

/** A till of the merchant, with the two numbers that the platform uses for it. */
export interface Till {
  forms: readonly [string, string];
}

/** The first till is the merchant's own; the second form of it is its online payment account. */
export const TILLS: readonly Till[] = [
  { forms: ['514459', 'K000123'] },
  { forms: ['600777', 'K000777'] },
];
export const ALIASES: Readonly<Record<string, string>> = { K000123: '514459', K000777: '600777' };
/** Both numbers of the account's own till. */
export const OWN_TILLS: readonly string[] = ['514459', 'K000123'];
export const PHONES = ['+254700000001', '+254700000002', '+254700000003'] as const;
export const PRICES = ['100.00', '250.00'] as const;

/** Money that moved: the truth, whatever the platform shows. */
export interface Money {
  reference: string;
  id: string;
  /** Decimal string as the platform writes it. */
  amount: string;
  till: Till;
  phone: string;
  showsPayer: 'phone' | 'hash' | 'nothing';
  /** When it moved, by the clock of the simulation. */
  at: number;
  listedAt: number;
  /** The request that caused it; null when a customer paid at the till without a request. */
  request: PlatformPayment | null;
  reversedAt: number | null;
  /** A replica has accepted a signed delivery that reports it as received; as reversed. */
  receivedApplied: boolean;
  reversalApplied: boolean;
  /** A replica has accepted a signed callback that shows it as the transaction of its payment. */
  shownApplied: boolean;
  /** Index of the till number that the platform shows while no alias joins the two. */
  form: number;
  formsShown: Set<number>;
  chance: Chance;
}

/** A payment request as the platform keeps it. */
export interface PlatformPayment {
  id: string;
  /** Our idempotency key, from the metadata and not from the code under test. */
  key: string;
  callbackUrl: string;
  metadata: unknown;
  amount: number;
  till: Till;
  tillForm: string;
  phone: string;
  createdAt: number;
  status: string;
  errors: readonly string[] | null;
  money: Money | null;
  showsMoneyFrom: number;
  /** Until then a read shows this older state. */
  late: { until: number; status: string; errors: readonly string[] | null } | null;
  /** A replica has accepted a signed callback with its result. */
  resultApplied: boolean;
  /** Until then a read answers 404. */
  hiddenUntil: number;
  /** All its evidence agrees, so the library must accept it. */
  consistent: boolean;
  /** How often it was read. */
  reads: number;
  chance: Chance;
}

/** One create that reached the platform, processed or not. */
export interface CreateArrival {
  key: string;
  at: number;
  couldCharge: boolean;
  payment: PlatformPayment | null;
}
