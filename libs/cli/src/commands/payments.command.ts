import { PaymentsService } from '@tillkit/payments';
import type { Resolution } from '@tillkit/payments/types';
import type { PaymentRecord } from '@tillkit/payments/internal/store';
import { Option, type Command } from 'commander';
import { withAccount } from '../account-context.js';
import { CommandError } from '../command.errors.js';
import {
  ofAccount,
  ofPerson,
  withCredentials,
  type AccountOptions,
  type CommonOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { accountTarget } from '../command-targets.js';
import { findPayment } from '../payments/payment-finder.js';
import { paymentParts, withHistory, type FoundPayment } from '../payments/found-payment.js';
import { withAccountStore } from '../store-connection.js';
import { print, shows, type ShowDefinition } from '../subject-commands.js';

type PaymentOptions = CommonOptions & AccountOptions;

interface ResolveOptions extends PaymentOptions {
  state: Resolution['state'];
  by: string;
  note: string;
  reference?: string;
}

const WHICH = 'id, idempotency key, or reference of the transaction that paid it';

const SHOW: ShowDefinition<FoundPayment, PaymentOptions> = {
  read: (invocation, options, text) =>
    withAccountStore(invocation, options, async (store, account) =>
      withHistory(await findPayment(store, account, text), store, options),
    ),
  parts: paymentParts,
};

export function define(payments: Command, does: Does): void {
  shows(
    ofAccount(payments.command('show').argument('<payment>', WHICH)).description(
      'show a payment with its history, its events and their listener calls',
    ),
    does,
    SHOW,
  );
  does.changes(
    withCredentials(ofAccount(payments.command('check').argument('<payment>', WHICH))).description(
      'read the payment from the platform now, and apply what it shows',
    ),
    accountTarget,
    runCheck,
  );
  does.changes(
    ofPerson(withCredentials(ofAccount(payments.command('resolve').argument('<payment>', WHICH))))
      .description(
        'decide a payment that is in review, or has no outcome for 15 minutes, as a person',
      )
      .addOption(
        new Option('--state <state>', 'what became of it')
          .choices(['succeeded', 'failed', 'reversed'])
          .makeOptionMandatory(),
      )
      .option('--reference <reference>', 'reference of the transaction that paid it'),
    accountTarget,
    runResolve,
  );
}

function runCheck(invocation: Invocation, options: PaymentOptions, text?: string): Promise<void> {
  return changing(invocation, options, text, async (payments, { id, platformId, state }) => {
    if (platformId === null)
      throw new CommandError(
        `payment ${id} is ${state} and has no id at the platform, so there is nothing to read. If it may have been sent, the ` +
          'application finds its money with the next sweep of the till: keep it running.',
      );
    await payments.check(id);
  });
}

function runResolve(invocation: Invocation, options: ResolveOptions, text?: string): Promise<void> {
  const { state, by, note, reference } = options;
  return changing(invocation, options, text, async (payments, { id }) => {
    await payments.resolve(id, { state, by, note, ...(reference && { reference }) });
  });
}

/** Changes a payment, and prints the payment after the change. */
function changing(
  invocation: Invocation,
  options: PaymentOptions,
  text: string | undefined,
  change: (payments: PaymentsService, record: PaymentRecord) => Promise<void>,
): Promise<void> {
  return withAccount(invocation, options, async ({ name, store, payments }) => {
    const record = await findPayment(store, name, text as string);
    await change(payments, record);
    const after = await withHistory(await findPayment(store, name, record.id), store, options);
    print(after, paymentParts, invocation.output);
  });
}
