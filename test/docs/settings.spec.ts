import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { VARIABLES } from '../../libs/payments/src/accounts/environment-variables.js';
import { resolveSettings } from '../../libs/payments/src/accounts/settings.reader.js';
import { DEFAULTS } from '../../libs/payments/src/payments-defaults.js';
import { resolvePostgresOptions } from '../../libs/postgres/src/postgres.options.js';
import { readPage, ROOT } from './markdown.code.js';

/** The types of the options of each module, and where they are declared. */
const MODULES: Readonly<Record<string, { types: readonly string[]; files: readonly string[] }>> = {
  PaymentsModule: {
    types: [
      'PaymentsOptions',
      'AccountOptions',
      'PaymentsModuleExtras',
      'AddedAccountOptions',
      'PaymentsAccountsOptions',
      'PaymentsAccountsModuleOptions',
    ],
    files: [
      'payments/src/payments.options.ts',
      'payments/src/accounts/account.options.ts',
      'payments/src/accounts/added-accounts.ts',
      'payments/src/accounts/payments.settings.ts',
    ],
  },
  PostgresStoreModule: {
    types: ['PostgresStoreOptions'],
    files: ['postgres/src/postgres.options.ts'],
  },
  PaymentsDashboardModule: {
    types: ['PaymentsDashboardOptions', 'PaymentsDashboardExtras'],
    files: ['dashboard/src/dashboard.options.ts'],
  },
  ForwardPaymentEvents: {
    types: ['ForwardPaymentEventsOptions'],
    files: ['payments/src/listeners/bus/forward-payment-events.options.ts'],
  },
};

const names = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

/** The rows of the table. */
const ROWS = [
  ...readPage('docs/settings.md').matchAll(/^\| `(\w+)` +\| (.+?) +\| (.+?) +\|$/gm),
].map(([, module, options, reason]) => ({
  module: module!,
  options: names(options!),
  reason: reason!,
}));

/** The variable of each option that has one, as the table says. */
const LISTED = new Map(
  ROWS.filter(({ reason }) => /^`PAYMENTS_\w+`$/.test(reason)).map(({ options, reason }) => [
    options.join(),
    names(reason)[0]!,
  ]),
);

function interfacesOf(files: readonly string[]): Map<string, ts.InterfaceDeclaration> {
  const statements = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, 'libs', file), 'utf8');
    return [...ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true).statements];
  });
  return new Map(
    statements.filter(ts.isInterfaceDeclaration).map((declared) => [declared.name.text, declared]),
  );
}

/** Returns the members of a type; those of a group of options have its name in front. */
function optionsOf(type: string, all: Map<string, ts.InterfaceDeclaration>): string[] {
  const { members } = all.get(type)!;
  return [...members].filter(ts.isPropertySignature).flatMap((member) => {
    const name = member.name.getText();
    const group = /^\w+Options\b/.exec(member.type!.getText())?.[0];
    if (group === undefined) return [name];
    return optionsOf(group, all).map((option) => `${name}.${option}`);
  });
}

describe('The table of docs/settings.md', () => {
  it.each(Object.entries(MODULES))(
    'has each option of %s once, and no other one',
    (module, { types, files }) => {
      const all = interfacesOf(files);
      const declared = new Set(types.flatMap((type) => optionsOf(type, all)));
      expect(declared.size).toBeGreaterThan(5);
      const listed = ROWS.filter((row) => row.module === module).flatMap(({ options }) => options);
      expect(listed.toSorted()).toEqual([...declared].toSorted());
    },
  );

  it('has rows of these modules only, and a reason for each option without a variable', () => {
    expect([...new Set(ROWS.map(({ module }) => module))]).toEqual(Object.keys(MODULES));
    for (const { reason } of ROWS)
      expect(reason).toMatch(/^`PAYMENTS_\w+`$|^(?!.*PAYMENTS_).{8,}$/);
  });

  it('has each option that the checks of the settings know', () => {
    const groups = Object.entries(DEFAULTS).filter(
      ([group, value]) => typeof value === 'object' && !(group in VARIABLES),
    );
    const known = groups.flatMap(([group, value]) =>
      Object.keys(value).map((option) => `${group}.${option}`),
    );
    const options = ROWS.flatMap((row) => row.options);
    expect(known.length).toBeGreaterThan(15);
    expect(options).toEqual(expect.arrayContaining([...known, ...Object.keys(VARIABLES)]));
  });

  it('names the variable that is read for each option', () => {
    const { PAYMENTS_DATABASE_URL, PAYMENTS_DATABASE_READ_URL, PAYMENTS_PATH, ...others } =
      Object.fromEntries([...LISTED].map(([option, variable]) => [variable, option]));
    expect({ PAYMENTS_DATABASE_URL, PAYMENTS_DATABASE_READ_URL, PAYMENTS_PATH }).toEqual({
      PAYMENTS_DATABASE_URL: 'connectionString',
      PAYMENTS_DATABASE_READ_URL: 'readConnectionString',
      PAYMENTS_PATH: 'path',
    });
    const read = Object.entries(VARIABLES).map(([option, variable]) => [variable, option]);
    expect(others).toEqual(Object.fromEntries(read));
  });

  it('has no variable that nothing reads, and reading the settings asks for no other one', () => {
    const asked = new Set<string>();
    const note = (name: string): undefined => void asked.add(name);
    expect(() => resolveSettings({}, note)).toThrow('PAYMENTS_BASE_URL is missing');
    const environment = new Proxy<NodeJS.ProcessEnv>(
      {},
      { get: (_, name) => (asked.add(String(name)), 'postgres://localhost/shop') },
    );
    resolvePostgresOptions({}, environment);
    const ours = [...asked].filter((name) => name.startsWith('PAYMENTS_'));
    expect([...ours, 'PAYMENTS_PATH'].toSorted()).toEqual([...LISTED.values()].toSorted());
  });

  it('has the variables that the README of the package describes', () => {
    const [, list = ''] = /## Settings\n([^]*?)\n## /.exec(readPage('libs/payments/README.md'))!;
    const described = [...list.matchAll(/^- (.*?):(?= )/gm)].flatMap(([, before]) =>
      names(before!),
    );
    expect(described.toSorted()).toEqual([...LISTED.values()].toSorted());
  });
});
