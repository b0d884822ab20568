import type { Chance } from './seeded.chance.js';

/** A till of the merchant with the two numbers that the platform writes for it. */
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

/** Money that really moved. */
export interface Money {
  reference: string;
  id: string;
  /** Decimal text as the platform writes it. */
  amount: string;
  till: Till;
  phone: string;
  showsPayer: 'phone' | 'hash' | 'nothing';
  /** When it moved, by the world's clock. */
  at: number;
  listedAt: number;
  /** The request whose money it is; null when a customer paid at the till by himself. */
  request: PlatformPayment | null;
  reversedAt: number | null;
  /** A delivery that a replica took said that it was received, or that it went back. */
  receivedApplied: boolean;
  reversalApplied: boolean;
  /** A signed callback that showed it as its payment's money was applied. */
  shownApplied: boolean;
  /** Index of the till's form that is shown while the two cannot be known to be one. */
  form: number;
  formsShown: Set<number>;
  chance: Chance;
}

/** A request for money as the platform has it. */
export interface PlatformPayment {
  id: string;
  /** Our idempotency key, which travels in the metadata: the code under test is not asked. */
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
  /** Until then a read shows what was true before. */
  late: { until: number; status: string; errors: readonly string[] | null } | null;
  /** A signed callback with its result was applied. */
  resultApplied: boolean;
  /** Until then a read answers 404. */
  hiddenUntil: number;
  /** Its money and its words agree: the library must believe it. */
  consistent: boolean;
  /** How often it was asked for. */
  reads: number;
  chance: Chance;
}

/** One create that reached the platform, whatever it did with it. */
export interface CreateArrival {
  key: string;
  at: number;
  couldCharge: boolean;
  payment: PlatformPayment | null;
}
