import type { Command } from 'commander';
import { PersonalDataService } from '@tillkit/payments';
import {
  ofAccount,
  ofPerson,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { accountTarget } from '../command-targets.js';
import { withAccountStore } from '../store-connection.js';

interface PersonOptions extends CommonOptions, DatabaseOptions {
  account?: string;
}

interface RedactOptions extends PersonOptions {
  by: string;
  note: string;
}

export function define(command: Command, does: Does): void {
  ofAccount(command.argument('<phone>', 'the phone number, in international form'));
  if (command.name() === 'export') does.reads(command, runExport);
  else does.changes(ofPerson(command), accountTarget, runRedact);
}

function runExport(invocation: Invocation, options: PersonOptions, phone?: string): Promise<void> {
  const { output } = invocation;
  return ofCustomer(invocation, options, async (personalData) => {
    const progress = output.progress('days');
    try {
      const records = personalData.export({ phoneNumber: phone as string }, progress.at);
      for await (const record of records) output.exactEntry(record);
    } finally {
      progress.stop();
    }
  });
}

function runRedact(invocation: Invocation, options: RedactOptions, phone?: string): Promise<void> {
  const { output } = invocation;
  const { by, note } = options;
  return ofCustomer(invocation, options, async (personalData, account) => {
    const progress = output.progress('days');
    const person = { phoneNumber: phone as string, by, note };
    const { redacted, left } = await personalData
      .redact(person, progress.at)
      .finally(() => progress.stop());
    output.result({ account, redacted, left }, () =>
      [
        `Redacted rows, and deleted deliveries: ${redacted}.`,
        left.length === 0
          ? 'Nothing is left.'
          : `Still open, or kept for 31 days because money may be matched; ask again later: ${left.length}.`,
        ...left.map(({ kind, id, at }) => `  ${kind} ${output.id(id)} of ${at.toISOString()}`),
      ].join('\n'),
    );
  });
}

/** This needs the database only. */
function ofCustomer(
  invocation: Invocation,
  options: PersonOptions,
  work: (personalData: PersonalDataService, account: string) => Promise<void>,
): Promise<void> {
  return withAccountStore(invocation, options, async (store, account) => {
    const settings = { current: { account, defaultCountry: undefined } };
    await work(new PersonalDataService(store.retention, settings, { now: Date.now }), account);
  });
}
