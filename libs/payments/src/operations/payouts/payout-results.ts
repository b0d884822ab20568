import { guardKey } from '../../ledger/operation.kind.js';
import { isSameAmount, sumInMinorUnits, toMinorUnits } from '../../money/money.js';
import { accountProblem, plainAccount, plainShortCode } from '../../money/values.js';
import type { SendMoneyDestination } from '../../platform/resources/create-send-money.dto.js';
import type { SendMoney } from '../../platform/resources/send-money.service.js';
import { type Disbursement, isDisbursed } from '../../platform/transfer-batch.resource.js';
import { wireFieldOf } from '../../platform/wire-value.js';
import { MINUTE } from '../../runtime/clock.js';
import type { OperationGuard } from '../../store/operation.js';
import {
  type DestinationOutcome,
  outcomesOf,
  type PayoutRecord,
  wholeRecipients,
} from './payout.js';

/** For this long after a payout was paid, another key does not pay it again: a host that got no answer asks again within minutes. */
export const PAID_AGAIN_AFTER_MS = 10 * MINUTE;

/** The platform's evidence about the destinations of a payout. */
export interface PayoutResults {
  /** One for each destination, in the order of the request. */
  outcomes: readonly DestinationOutcome[];
  /** Names the contradiction between the disbursements, or between them and the request; null when there is none. */
  contradiction: string | null;
  /** True when a disbursement fits no destination, or fits several that differ. */
  isUnmatched: boolean;
  /** Statuses of disbursements that we do not know. */
  unknownStatuses: readonly string[];
}

/** Known statuses of a disbursement that are not final. */
const UNFINISHED = new Set([
  'Pending',
  'Scheduled',
  'Received',
  'Processing',
  'Processed',
  'Initiated',
  'Sent',
]);

/** Digits of a phone number without its country. Fewer name nobody. */
const SHORTEST_NUMBER = 9;

const KINDS_OF_ACCOUNT = new Set(['wallet', 'bank_account', 'till', 'paybill']);

const OPEN: DestinationOutcome = { state: 'open', transactionReference: null, errors: [] };

type Request = Pick<PayoutRecord, 'amount' | 'recipients' | 'transfers' | 'outcome'>;

/** Destinations that are equal in type, account and amount: nobody can tell their disbursements apart. */
interface Group {
  recipient: SendMoneyDestination;
  /** Indexes in the request. */
  indexes: number[];
  disbursements: Disbursement[];
}

/**
 * Matches disbursements with destinations by what they are. The platform's order says nothing, and it may repeat only a part of a
 * destination.
 */
export function resultsOf(
  request: Request,
  { status: handled, currency, transferBatches, errors }: SendMoney,
): PayoutResults {
  const shown = (transferBatches ?? []).flatMap((batch) =>
    batch.disbursements.map((each) => ({
      ...each,
      errors: [...batch.errors, ...each.errors],
      isOfCancelled: batch.status === 'Cancelled',
    })),
  );
  const unknownStatuses = [handled, ...shown.map(({ status }) => status)]
    .filter((status) => status !== null)
    .filter((status) => stateOf(status) === 'open' && !UNFINISHED.has(status));
  const faulty = shown.find(
    ({ status, errors: own }) => status === 'Transferred' && own.length > 0,
  );
  const areAllTransferred =
    shown.length === request.transfers.length &&
    shown.every(({ status }) => status === 'Transferred');
  const contradiction = faulty
    ? `the platform says Transferred and names errors: ${faulty.errors.join(' ')}`
    : areAllTransferred && errors.length > 0
      ? `the platform says that all was transferred, and names errors: ${errors.join(' ')}`
      : shown.some(({ status, isOfCancelled }) => status === 'Transferred' && isOfCancelled)
        ? 'the platform says Transferred in a batch that it says is Cancelled'
        : currency !== null && currency !== request.amount.currency
          ? `asked to send ${request.amount.currency}, and the platform shows ${currency}`
          : null;
  const groups = groupsOf(request);
  let isAmbiguous = false;
  let isOfNobody = false;
  for (const [place, disbursement] of shown.entries()) {
    // A transfer pays one destination.
    const { transactionReference: reference } = disbursement;
    const isRepeated =
      reference !== null &&
      shown.findIndex(({ transactionReference }) => transactionReference === reference) < place;
    if (isRepeated) {
      isOfNobody = true;
      continue;
    }
    const fitting = groups.filter((group) =>
      fits(group.recipient, request.amount.currency, disbursement),
    );
    const [group] = fitting;
    if (!group) isOfNobody = true;
    else if (fitting.length > 1) isAmbiguous = true;
    else group.disbursements.push(disbursement);
  }
  // More transfers to one destination than were asked for pay no other one.
  const isPaidTooOften = groups.some(
    ({ indexes, disbursements }) => disbursements.length > indexes.length,
  );
  const isContradicted = isOfNobody || isPaidTooOften;
  if (isAmbiguous && !isContradicted && areAllTransferred && isWholeSum(request, shown)) {
    // Everybody was paid, whichever result belongs to whom, and nobody is named who was not to be paid. The references stay unknown.
    const paid = { state: 'paid', transactionReference: null, errors: [] } as const;
    const outcomes = request.transfers.map(() => paid);
    return { outcomes, contradiction, isUnmatched: false, unknownStatuses };
  }
  const outcomes = request.transfers.map(() => OPEN);
  for (const group of groups) assign(group, outcomesOf(request), outcomes);
  // Until all results are final, more of them may come, and may explain these.
  const areFinal = shown.length >= request.transfers.length && shown.every(isDisbursed);
  const isDoubtful = (isAmbiguous || isContradicted) && areFinal;
  return { outcomes, contradiction, isUnmatched: isDoubtful, unknownStatuses };
}

/** Each rule finds the equal destination with a known outcome to which a result belongs. The first rule that finds one decides. */
const SAME: readonly ((earlier: DestinationOutcome, shown: DestinationOutcome) => boolean)[] = [
  (earlier, shown) =>
    shown.transactionReference !== null &&
    earlier.transactionReference === shown.transactionReference,
  (earlier, shown) =>
    earlier.state === shown.state &&
    (earlier.transactionReference === null || shown.transactionReference === null),
  ({ state }) => state === 'open',
  () => true,
];

/**
 * Gives the final results to equal destinations. These differ in nothing, so each result goes where it contradicts nothing that is
 * known: when one of two was cancelled before, and the other is paid now, the first one was not paid after its failure.
 */
function assign(
  { indexes, disbursements }: Group,
  earlier: readonly DestinationOutcome[],
  outcomes: DestinationOutcome[],
): void {
  const free = new Set(indexes);
  let results = disbursements
    .map(({ status, transactionReference, errors }) => ({
      state: stateOf(status),
      transactionReference,
      errors,
    }))
    .filter(({ state }) => state !== 'open')
    .toSorted((one, other) => orderOf(one).localeCompare(orderOf(other)));
  for (const isSame of SAME) {
    results = results.filter((shown) => {
      const index = [...free].find((place) => isSame(earlier[place] ?? OPEN, shown));
      if (index === undefined) return true;
      free.delete(index);
      outcomes[index] = shown;
      return false;
    });
  }
}

const ORDER = { paid: 0, failed: 1, open: 2 } as const;

function orderOf({ state, transactionReference }: DestinationOutcome): string {
  return `${ORDER[state]} ${transactionReference ?? ''}`;
}

function stateOf(status: string | null): DestinationOutcome['state'] {
  if (status === 'Transferred') return 'paid';
  return status === 'Cancelled' ? 'failed' : 'open';
}

function groupsOf(request: Request): Group[] {
  const { amount } = request;
  const groups = new Map<string, Group>();
  wholeRecipients(request).forEach((recipient, index) => {
    const key = identityOf(recipient, amount.currency);
    const group = groups.get(key) ?? { recipient, indexes: [], disbursements: [] };
    group.indexes.push(index);
    groups.set(key, group);
  });
  return [...groups.values()];
}

/** Returns the same text for two destinations when the same account would get the same amount. */
export function identityOf(recipient: SendMoneyDestination, currency: string): string {
  const minor = String(toMinorUnits(recipient.amount, currency));
  return JSON.stringify([...destinationOf(recipient), currency, minor]);
}

/** Identifies the account of a destination, whatever amount it gets. */
function destinationOf(recipient: SendMoneyDestination): readonly unknown[] {
  return [recipient.type, accountOf(recipient)];
}

/** Returns the fields that name the account of a destination. */
function accountOf(recipient: SendMoneyDestination): Partial<Record<keyof Disbursement, string>> {
  switch (recipient.type) {
    case 'mobile_wallet':
      return { phoneNumber: digitsOf(recipient.phoneNumber) };
    case 'bank_account':
      return {
        accountNumber: plainAccount(recipient.accountNumber),
        bankBranchRef: plainAccount(recipient.bankBranchRef),
      };
    case 'till':
      return { tillNumber: plainShortCode(recipient.tillNumber) };
    case 'paybill':
      return {
        paybillNumber: plainShortCode(recipient.paybillNumber),
        paybillAccountNumber: plainAccount(recipient.paybillAccountNumber),
      };
    case 'merchant_wallet':
    case 'merchant_bank_account':
      return { destinationReference: plainAccount(recipient.reference) };
  }
}

/**
 * True when a disbursement shows nothing that only another destination has. A field that it does not show fits every value; a field that it
 * shows and that cannot be read fits none.
 */
function fits(recipient: SendMoneyDestination, currency: string, shown: Disbursement): boolean {
  const type = shown.destinationType === null ? null : kindOfAccount(shown.destinationType);
  const isAmount =
    shown.amount === null
      ? (shown.raw['amount'] ?? null) === null
      : isSameAmount({ currency, value: shown.amount }, { currency, value: recipient.amount });
  return (
    (type === null || type === kindOfAccount(recipient.type)) &&
    isAmount &&
    Object.entries(accountOf(recipient)).every(([name, wanted]) => {
      const value = shown[name as keyof Disbursement];
      // A value that is there and cannot be read does not prove that it is the right one.
      if (typeof value !== 'string') return (shown.raw[wireFieldOf(name)] ?? null) === null;
      if (value.trim() === '') return true;
      if (name === 'phoneNumber') return isSamePhone(value, wanted);
      // A sign that no account is written with hides a part of it: `****789` is not the account 789.
      if (accountProblem(value) !== null) return false;
      return (SHORT_CODES.has(name) ? plainShortCode(value) : plainAccount(value)) === wanted;
    })
  );
}

/**
 * The platform also writes `Mobile Wallet`, and calls the merchant's own accounts like those of others. Null for a word that we do not
 * know: it names nobody.
 */
function kindOfAccount(type: string): string | null {
  const plain = type.trim().toLowerCase().replaceAll(' ', '_');
  const kind = plain.replace(/^(merchant|mobile)_/, '');
  return KINDS_OF_ACCOUNT.has(kind) ? kind : null;
}

/** True when a shown number is, or may be, the wanted digits: with its country, as people dial it at home, or masked. */
function isSamePhone(shown: string, wanted: string): boolean {
  const [begin = '', ...masked] = shown.split(/[*x•]+/i).map(digitsOf);
  if (masked.length > 0) return wanted.startsWith(begin) && wanted.endsWith(masked.at(-1) ?? '');
  const digits = begin.replace(/^0+/, '');
  return digits.length < SHORTEST_NUMBER || wanted.endsWith(digits);
}

/** The numbers that may be written with a `K` or leading zeros. */
const SHORT_CODES: ReadonlySet<string> = new Set(['tillNumber', 'paybillNumber']);

function digitsOf(phoneNumber: string): string {
  return phoneNumber.replace(/\D/g, '');
}

function isWholeSum({ amount, transfers }: Request, shown: readonly Disbursement[]): boolean {
  const paid = sumInMinorUnits(shown, amount.currency);
  return paid !== null && paid === sumInMinorUnits(transfers, amount.currency);
}

/** A destination and an amount of a payout that is open, in review, or paid a moment ago, are not paid under another key. */
export function payoutGuard(
  recipients: readonly SendMoneyDestination[],
  currency: string,
): OperationGuard {
  const keys = recipients.map((recipient) => guardKey('payout', identityOf(recipient, currency)));
  const counted = new Map<string, bigint>();
  for (const recipient of recipients) {
    const key = guardKey('destination', destinationOf(recipient), currency);
    const minor = toMinorUnits(recipient.amount, currency) ?? 0n;
    counted.set(key, (counted.get(key) ?? 0n) + minor);
  }
  return {
    keys: [...new Set(keys)].toSorted().map((key) => ({ key, paidForMs: PAID_AGAIN_AFTER_MS })),
    counted: Object.fromEntries([...counted].map(([key, minor]) => [key, String(minor)])),
  };
}
