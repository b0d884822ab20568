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
/** A customer whom no host asks for money. Money that is reported of this customer belongs to nobody else. */
export const STRANGER = '+254700000004';

/** Money surely belongs to its request when it comes this many milliseconds after it. This is a minute less than the library's window. */
export const MATCH_WINDOW_MS = 14 * 60_000;

/** Money that moved: the truth, whatever the platform shows. */
export interface Money {
  reference: string;
  id: string;
  /** Decimal string as the platform writes it. */
  amount: string;
  till: Till;
  phone: string;
  showsPayer: 'phone' | 'hash' | 'nothing';
  /** The values in webhooks and lists that differ from those of the money's own operation. */
  tillSays: Readonly<{ amount?: string; phone?: string }>;
  /** The time when it moved, by the clock of the simulation. */
  at: number;
  listedAt: number;
  /** Fields that lists write in another way than webhooks do. */
  listedAs: Readonly<Record<string, unknown>>;
  /** True when a list has shown it. */
  wasListed: boolean;
  /** The request that caused it; null when a customer paid at the till without a request. */
  request: PlatformPayment | null;
  /** The link at which it was paid; null when it was not paid at one. */
  link: PlatformLink | null;
  /** The time when money of it went back for the first time, all or a part. */
  reversedAt: number | null;
  /** The money that has gone back to the customer, in cents. */
  returnedCents: number;
  /** The amount in reports of its reversal, when that is not the whole amount: it is a part, or unreadable. */
  reversalSays: string | null;
  /** True when a replica has accepted a signed delivery that reports it: as received, or as reversed. */
  receivedApplied: boolean;
  reversalApplied: boolean;
  /** True when a replica has accepted a signed callback that shows it as the transaction of its payment. */
  shownApplied: boolean;
  /** Index of the till number that the platform shows while no alias joins the two. */
  form: number;
  formsShown: Set<number>;
  chance: Chance;
}

/** True when lists show a time of it that names an instant. */
export function hasReadableTime({ listedAs }: Money): boolean {
  const { origination_time: time } = listedAs as { origination_time?: string | number | null };
  if (time === undefined) return true;
  return time !== null && !/T.*\d$/.test(String(time)) && !UNREADABLE_TIMES.includes(time);
}

/** True when lists show an amount of it that can be read. */
export function hasReadableAmount({ listedAs }: Money): boolean {
  return listedAs['amount'] === undefined;
}

/** Times that no payment can have. The last one stands for Nairobi time that is marked as UTC: it is three hours in the future. */
export const IN_NAIROBI = 'Nairobi time marked Z';
export const UNREADABLE_TIMES: readonly unknown[] = [
  '0001-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '2026-02-30T12:00:00Z',
  IN_NAIROBI,
];

/** Returns the money of it that has not gone back, in cents. */
export function restOf({ amount, returnedCents }: Money): number {
  return centsOf(amount) - returnedCents;
}

/** True when a report named another amount than the whole as the one that went back. */
export function isPartly({ reversedAt, reversalSays }: Money): boolean {
  return reversedAt !== null && reversalSays !== null;
}

/** True when the amount that went back can be read. */
export function isReadablePart({ reversalSays }: Money): boolean {
  return reversalSays === null || isAmount(reversalSays);
}

/** True when a text is an amount in the only form in which the platform of the simulation writes one. */
export function isAmount(text: unknown): boolean {
  return /^\d+(\.\d+)?$/.test(String(text));
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
  /** A read shows this older state until that time. */
  late: { until: number; status: string; errors: readonly string[] | null } | null;
  /** True when a replica has accepted a signed callback with its result. */
  resultApplied: boolean;
  /** A read answers 404 until this time. */
  hiddenUntil: number;
  /** True when all its evidence agrees, so that the library must accept it. */
  consistent: boolean;
  reads: number;
  chance: Chance;
}

/** One create that reached the platform, processed or not. */
export interface CreateArrival {
  key: string;
  at: number;
  couldCharge: boolean;
  /** True when the sender may never have learnt its outcome. That includes a refused create whose answer was lost or late. */
  mayBeUnknown: boolean;
  /** The platform's id of the new resource; null when none was made. */
  id: string | null;
  payment: PlatformPayment | null;
}

/** The common fields of every resource that moves money out, or asks anybody for money. */
export interface PlatformResource {
  id: string;
  /** Our idempotency key, from the metadata and not from the code under test. */
  key: string;
  callbackUrl: string;
  metadata: unknown;
  createdAt: number;
  /** A read answers 404 until this time. */
  hiddenUntil: number;
  /** A read shows the state of this long ago. */
  lagMs: number;
  /** True when all its evidence agrees and is complete, so that the library must accept it. */
  consistent: boolean;
  reads: number;
  /** The bodies that it showed, oldest first. */
  shown: { at: number; body: Record<string, unknown> }[];
  chance: Chance;
}

/** One destination of a payout, as the host asked for it. */
export type WireDestination = Record<string, unknown> & { type: string; amount: number };

/** One transfer of a payout: the truth, whatever the platform shows. */
export interface PlatformTransfer {
  destination: WireDestination;
  /** It is equal for destinations that nobody can tell apart. */
  identity: string;
  cents: number;
  /** The word that the platform shows; null while it shows no batch for it. */
  status: string | null;
  errors: readonly string[] | null;
  /** True when the money has left. */
  moved: boolean;
  reference: string | null;
  /** The time when the platform first said that it was not paid. */
  cancelledAt: number | null;
  /** True when an answer to a read has said so minutes later. */
  deniedInRead: boolean;
  /** Fields that the platform does not repeat. */
  hidden: ReadonlySet<string>;
  /** Fields of another person whom the transfer has paid. */
  shownAs: Readonly<Record<string, unknown>>;
}

export interface PlatformPayout extends PlatformResource {
  status: string;
  errors: readonly string[] | null;
  /** The transfers are in the order of the batches, which differs from the order of the request. */
  transfers: PlatformTransfer[];
}

export interface PlatformReversal extends PlatformResource {
  money: Money;
  reason: string;
  status: string;
  errors: readonly string[] | null;
  /** The word of the bulk payment; null while there is none. */
  transferStatus: string | null;
  /** True when this reversal has sent the money back. */
  moved: boolean;
  /** The money that it sends back, in cents: the rest of the money when the reversal was decided. */
  cents: number;
  /** The time when the platform first said that nothing went back. */
  cancelledAt: number | null;
  /** True when an answer to a read has said so minutes later. */
  deniedInRead: boolean;
}

export interface PlatformLink extends PlatformResource {
  till: Till;
  tillForm: string;
  amount: number;
  phone: string;
  expiresAt: number;
  status: 'Active' | 'Cancelled' | 'Expired' | 'Paid';
  money: Money | null;
}

export function centsOf(amount: string | number): number {
  return Math.round(Number(amount) * 100);
}
