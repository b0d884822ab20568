import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as dashboard from '@tillkit/dashboard';
import * as payments from '@tillkit/payments';
import { REVIEW_CAUSES } from '@tillkit/payments/internal/store';
import * as postgres from '@tillkit/postgres';
import * as embedded from '@tillkit/postgres/embedded';
import * as simulator from '@tillkit/simulator';
import { readPage, ROOT } from './markdown.code.js';

const PAGE = readPage('docs/troubleshooting.md');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const SOURCE = ['payments', 'platform', 'operation', 'account']
  .map((name) => read(`libs/payments/src/${name}.errors.ts`))
  .join('\n');

/** The members of the union `PaymentsErrorCode`. */
const CODES = [.../type PaymentsErrorCode =([^;]+);/.exec(SOURCE)![1]!.matchAll(/'(\w+)'/g)].map(
  ([, code]) => code!,
);

/** Sections of the page, by the code in their heading. */
const SECTIONS = new Map(
  [...PAGE.matchAll(/^### `(PAYMENTS_\w+)`\n([^]*?)(?=^##)/gm)].map(([, code, text]) => [
    code!,
    text!,
  ]),
);

const isError = (value: unknown): value is new () => Error =>
  typeof value === 'function' && value.prototype instanceof Error;

describe('docs/troubleshooting.md', () => {
  it('has a section for each code of PaymentsErrorCode, in their order, and no other', () => {
    expect(CODES.length).toBeGreaterThan(20);
    expect([...SECTIONS.keys()]).toEqual(CODES);
  });

  it.each(CODES)(
    'says of %s what happened, what it means for the money, and what to do',
    (code) => {
      expect(SECTIONS.get(code)).toMatch(
        /\n- \*\*What happened\*\*: .{20,}[^]*\n- \*\*The money\*\*: .{5,}[^]*\n- \*\*What to do\*\*: .{15,}/,
      );
    },
  );

  it('names each error class below the code that it has', () => {
    const classes = [
      ...SOURCE.matchAll(/export class (\w+) extends \w+ \{\s+readonly code(?:: \w+)? = '(\w+)'/g),
    ];
    expect(new Set(classes.map(([, , code]) => code))).toEqual(new Set(CODES));
    for (const [, name, code] of classes) expect(SECTIONS.get(code!)).toContain(`\`${name}\``);
  });

  it.each(Object.entries({ payments, postgres, embedded, dashboard, simulator }))(
    'names each error that %s exports',
    (_, exported) => {
      const bases = new Set([
        'PaymentsError',
        'PlatformError',
        'OperationInTheWayError',
        'SimulatorError',
      ]);
      const names = Object.entries(exported).flatMap(([name, value]) =>
        isError(value) && !bases.has(name) ? [name] : [],
      );
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !PAGE.includes(`\`${name}\``))).toEqual([]);
    },
  );

  it('names each code of the simulator', () => {
    const codes = [
      ...read('libs/simulator/src/simulator.errors.ts').matchAll(/'(SIMULATOR_\w+)'/g),
    ].map(([, code]) => code!);
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => !PAGE.includes(`\`${code}\``))).toEqual([]);
  });

  it('explains each cause of a review', () => {
    expect(REVIEW_CAUSES.filter((cause) => !PAGE.includes(`\`${cause}\``))).toEqual([]);
  });
});
