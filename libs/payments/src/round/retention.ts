import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type AccountWork, AccountRegistry } from '../accounts/account-registry.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { nationalForm, phoneHash, toInternationalPhone } from '../money/phone-number.js';
import { PaymentsValidationError } from '../payments.errors.js';
import { AccountSchedule } from '../queue/account.schedule.js';
import { DueWorkFinder } from '../queue/due-work-finder.js';
import { DAY, MINUTE, Runtime, SECOND } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { Concealed } from '../runtime/validate-input.js';
import { PlannedWorkStore } from '../store/due-work.store.js';
import { type PersonalRecord, type PersonIn, RetentionStore } from '../store/retention.store.js';
import {
  hasOtherRecipients,
  isShared,
  jsonOf,
  partsOf,
  withoutOtherParty,
} from '../store/shared-rows.js';

const RUNS = {
  /** The first run starts this soon after the start, so that a process that restarts often still redacts and deletes. */
  firstMs: 5 * MINUTE,
  /** Renewed while the run goes on. A run may be done twice without harm. */
  leaseMs: 45 * SECOND,
  accountsAtOnce: 2,
} as const;

const BATCH = 500;

/** Most batches of one run. The next run continues. */
const MOST_BATCHES = 100;

/** Redacts and deletes old finished rows, in small batches. */
@Injectable()
export class RetentionSchedule implements AccountWork, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly schedule: AccountSchedule;

  constructor(
    private readonly retentionStore: RetentionStore,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: AccountRegistry,
    plannedWork: PlannedWorkStore,
    finder: DueWorkFinder,
    runtime: Runtime,
  ) {
    this.schedule = new AccountSchedule(plannedWork, accounts, finder, runtime, {
      kind: 'retention',
      claimed: () => accounts.inBackgroundNames(),
      everyMs: ({ retention }) => retention.everyMs,
      firstMs: RUNS.firstMs,
      leaseMs: RUNS.leaseMs,
      atOnce: RUNS.accountsAtOnce,
      run: (account) => this.apply(account),
    });
  }

  /** Plans the first run of accounts. */
  begin(accounts: readonly PaymentsSettings[]): Promise<void> {
    return this.schedule.plan(accounts.filter(({ background }) => background));
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.accounts.worksInBackground) return;
    this.schedule.start();
    await this.begin(this.accounts.inBackground());
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.schedule.stop();
  }

  private async apply(account: string): Promise<void> {
    const { retention, isRemoved } = this.accounts.settings(account);
    try {
      for (let batch = 0; batch < MOST_BATCHES && !this.shutdown.signal.aborted; batch += 1) {
        const { redacted, deleted } = await this.retentionStore.apply(account, {
          ...retention,
          limit: BATCH,
          isRemoved,
        });
        if (redacted + deleted === 0) return;
      }
    } catch (error) {
      this.logger.warn(`retention ended early and will go on later: ${String(error)}`, { account });
    }
  }
}

/** Names the customer. @publicApi */
export interface Person {
  /** International with `+`, or as people write it in the default country. */
  phoneNumber: string;
}

/** Names the customer, the person who redacts, and the reason. @publicApi */
export interface RedactPerson extends Person {
  by: string;
  note: string;
}

/** The result of a redaction. @publicApi */
export interface PersonRedaction {
  /** Rows that were redacted, deliveries that were deleted. */
  redacted: number;
  /** Rows that still mention the customer, because something of them is open, or money may be matched: ask again later. Without their data. */
  left: readonly Omit<PersonalRecord, 'data'>[];
}

/** The redaction calls it after each day that was read. @publicApi */
export type DaysProgress = (done: number, all: number) => void;

/**
 * Exports and redacts the stored data of one customer, on request of the customer. Rows are found by the phone number and its hash,
 * wherever they stand: in operations, transactions, deliveries, events and bare requests; refunds of the customer's money by the payment or
 * the transaction. Rows that retention has redacted mention nobody any more.
 * @example
 * for await (const record of personalData.export({ phoneNumber: '+254700000001' })) file.write(JSON.stringify(record));
 * await personalData.redact({ phoneNumber: '+254700000001', by: 'jane@shop.example', note: 'request of 3 March' });
 * @see docs/guide.md#personal-data
 * @publicApi
 */
@Concealed()
export class PersonalDataService {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly retentionStore: RetentionStore,
    private readonly settings: {
      readonly current: Pick<PaymentsSettings, 'account' | 'defaultCountry'>;
    },
    private readonly runtime: Pick<Runtime, 'now'>,
    /** The records in the memory of this process; absent where it processes nothing. */
    private readonly records?: { clear(): void },
  ) {}

  /**
   * Everything that is stored of a customer, day by day. It contains personal data: give it to that customer only. A row about several persons,
   * such as a payout to several, has `data.parts`: only what mentions the customer.
   * @throws PaymentsValidationError when it is no phone number
   * @throws StoreUnavailableError when the store does not answer
   */
  async *export(person: Person, progress?: DaysProgress): AsyncGenerator<PersonalRecord> {
    for await (const day of this.days(await this.customerOf(this.digitsOf(person)), progress))
      for (const record of await this.retentionStore.findOf(this.settings.current.account, day))
        yield { ...record, data: ofCustomer(record, day) };
  }

  /**
   * Redacts the finished rows of a customer: names, phone numbers, texts of the platform; deliveries are deleted. Amounts, references,
   * states and idempotency keys stay, so nobody is charged twice afterwards. Open rows stay, and the result names them: their outcome needs
   * the number. The same is true for 31 days of a payment that failed after it was sent, and of money that no payment has, because they may
   * still be matched. A payout to several keeps the data of the others. Later evidence of the platform changes states and amounts as
   * always, and names nobody: such a delivery is deleted when it is processed.
   * @throws PaymentsValidationError when it is no phone number, or `by` or `note` is empty
   * @throws StoreUnavailableError when the store does not answer; ask again
   */
  async redact(person: RedactPerson, progress?: DaysProgress): Promise<PersonRedaction> {
    const digits = this.digitsOf(person);
    const empty = (['by', 'note'] as const).filter((field) => !person[field]?.trim());
    if (empty.length > 0)
      throw new PaymentsValidationError(
        empty.map((field) => ({ field, problem: 'is empty: say who redacts, and why' })),
      );
    const { account } = this.settings.current;
    const known = await this.customerOf(digits);
    const customer = { ...known, own: await this.ownOf(known) };
    let redacted = 0;
    let left: Omit<PersonalRecord, 'data'>[];
    let before: number;
    do {
      before = redacted;
      left = [];
      for await (const day of this.days(customer, progress)) {
        redacted += await this.retentionStore.redactOf(account, day);
        for (const { kind, id, at } of await this.retentionStore.findOf(account, day))
          left.push({ kind, id, at });
      }
      // A payment is redacted after its refunds, and each operation after its events. These may be of later days.
    } while (customer.refunds.length + customer.own.length > 0 && redacted > before);
    this.records?.clear();
    this.logger.log(
      `personal data of +${digits} in account ${account} was redacted by ${person.by}: ${redacted} rows, ${left.length} are left (${person.note})`,
    );
    return { redacted, left };
  }

  private digitsOf({ phoneNumber }: Person): string {
    // Numbers of a sandbox are accepted too, so that its stored data are found whatever platform is set now.
    const { defaultCountry } = this.settings.current;
    const international = toInternationalPhone(phoneNumber ?? '', defaultCountry, true);
    if (international) return international.slice(1);
    throw new PaymentsValidationError([
      {
        field: 'phoneNumber',
        problem: 'is no phone number: write it in international form, such as +254700000001',
      },
    ]);
  }

  /** Collects everything by which the rows of a customer are recognised. */
  private async customerOf(digits: string): Promise<Omit<PersonIn, 'from' | 'to'>> {
    const national = nationalForm(`+${digits}`);
    const customer = { digits, national, hash: phoneHash(digits), refunds: [] };
    const refunds = new Set<string>();
    for await (const day of this.days(customer))
      for (const id of await this.retentionStore.refundsOf(this.settings.current.account, day))
        refunds.add(id);
    return { ...customer, refunds: [...refunds] };
  }

  /** Returns the customer's own operations: what is received and emitted of them may name no number. */
  private async ownOf(customer: Omit<PersonIn, 'from' | 'to'>): Promise<string[]> {
    const own: string[] = [];
    for await (const day of this.days(customer))
      own.push(...(await this.retentionStore.ownOf(this.settings.current.account, day)));
    return own;
  }

  /** Yields each day since the oldest row. Each day is a statement of its own, so nothing else waits for a search of everything. */
  private async *days(
    customer: Omit<PersonIn, 'from' | 'to'>,
    progress?: DaysProgress,
  ): AsyncGenerator<PersonIn> {
    const oldest = await this.retentionStore.oldestPersonal(this.settings.current.account);
    if (!oldest) return;
    // The clock of the store may be ahead of ours, and rows are written meanwhile.
    const end = this.runtime.now() + DAY;
    const all = Math.ceil((end - oldest.getTime()) / DAY);
    for (let day = 0; day < all; day += 1) {
      const from = new Date(oldest.getTime() + day * DAY);
      yield { ...customer, from, to: new Date(from.getTime() + DAY) };
      progress?.(day + 1, all);
    }
  }
}

/** Returns the part of a row that is about a customer. */
function ofCustomer({ kind, data }: PersonalRecord, person: PersonIn): unknown {
  if (kind === 'delivery') {
    const customer = { ...person, ids: person.refunds };
    // As a value, so that its parts can be read one by one.
    const body = jsonOf((data as { body: string }).body);
    return isShared(body, customer) ? { parts: partsOf(body, customer) } : data;
  }
  return isShared(data, person) || hasOtherRecipients(recipientsIn(data), person)
    ? { ...headOf(data), parts: partsOf(data, person) }
    : withoutOtherParty(data, person);
}

/** Returns the recipients of a payout, in the shape of either store. */
function recipientsIn(data: unknown): unknown {
  const { recipients, personal } = data as { recipients?: unknown; personal?: unknown };
  return recipients ?? (personal as { recipients?: unknown } | null | undefined)?.recipients;
}

/** Returns the kind, name, state and time of a row: none of these is about a person. */
function headOf(data: unknown): object {
  return Object.fromEntries(
    ['kind', 'name', 'state', 'createdAt'].flatMap((field) => {
      const value = (data as Record<string, unknown>)[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
}
