/**
 * Counts what there is to read, and what runs for one payment: npm run counts. Traced: our files and functions that run in a warm `request()` and
 * from a callback to its listener, with the store in memory; the simulated platform is not counted.
 *
 * With `--check`, it fails when a row of `counts.json` is above what stands there, unless a changeset says what it rose to, and for what: `What rose:
 * declarations of payments to 1,700, for expected payments.` With `--update`, it writes the file: when they fell, and after a release.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session, type Profiler } from 'node:inspector';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { OnPaymentEvent } from '@tillkit/payments';
import { aRequestFrom, Merchant } from '../test/support/merchant.js';

const ROOT = join(import.meta.dirname, '..');
/** The rows that may not rise without a word. */
const KEPT = 'scripts/counts.json';

const REQUESTS = 20;
const SETTLED_MS = 200;

/** A customer whose phone waits for the PIN. */
const PHONE = '+254700000014';

/** Source that a host runs. */
const RUN_BY_HOSTS = /\/libs\/(payments|postgres)\/src\//;
const SOURCE = /^(libs\/[^/]+|sample-app)\/src\/.*\.(ts|js|css|sql)$/;
const PROOF = /\.spec\.ts$|\/testing\//;

const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

function linesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0);
}

function wordsOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + (read(file).match(/\S+/g)?.length ?? 0), 0);
}

/** Finds each declaration at the top of a file. Prettier formats every file, so these begin a line. */
const DECLARATION =
  /^(?:export )?(?:default |abstract |declare |async )*(?:const|let|function|class|interface|type|enum) \w/gm;

function declarationsIn(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + (read(file).match(DECLARATION)?.length ?? 0), 0);
}

/** Returns the names in the `export` lines of a file. */
function namesIn(file: string): number {
  return [...read(file).matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names.split(',').filter((name) => name.trim() !== ''),
  ).length;
}

/** Counts the options that a host may set in a file. A group of options counts by its members. */
function settingsIn(...files: string[]): number {
  return files
    .flatMap((file) => [...read(file).matchAll(/^ {2}\w+\?: (.*)$/gm)])
    .filter(([, type = '']) => !/\b\w+Options\b|ApiVersions|PayoutLimits/.test(type)).length;
}

/** Returns the most parameters of a constructor in a file. */
function longestConstructor(file: string): number {
  const all = [...read(file).matchAll(/\bconstructor\(([^{]*?)\)\s*\{/g)].map(([, text = '']) => {
    let depth = 0;
    const outside = text
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .split('')
      .filter((letter) => {
        if ('<({['.includes(letter)) depth += 1;
        if ('>)}]'.includes(letter)) depth -= 1;
        return depth === 0;
      });
    return outside
      .join('')
      .split(',')
      .filter((part) => part.trim() !== '').length;
  });
  return Math.max(0, ...all);
}

/** Returns the arrows of `.dependency-cruiser.cjs` between folders. */
function arrows(): number {
  const walls = /const WALLS = \{([\s\S]*?)\n\};/.exec(read('.dependency-cruiser.cjs'))?.[1] ?? '';
  return [...walls.matchAll(/^ {2}\w+: \[([^\]]*)\]/gm)].reduce(
    (sum, [, others = '']) => sum + (others.match(/'/g)?.length ?? 0) / 2,
    0,
  );
}

const session = new Session();

interface Ran {
  files: number;
  functions: number;
}

/** Returns the least of several times: work in the background runs in some of them. */
function least(what: string, all: readonly Ran[]): [string, number][] {
  const [first] = all.toSorted((one, other) => one.functions - other.functions);
  return [
    [`files of ${what}`, first?.files ?? 0],
    [`functions of ${what}`, first?.functions ?? 0],
  ];
}

/** Returns what ran since the last call. A session in this process answers before `post` returns. */
function ranSince(): Ran {
  let scripts: Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (_error, answer) => (scripts = answer.result));
  const counts = scripts
    .filter(({ url }) => RUN_BY_HOSTS.test(url))
    .map(
      ({ functions }) => functions.filter(({ ranges: [range] }) => range && range.count > 0).length,
    )
    .filter((count) => count > 0);
  return { files: counts.length, functions: counts.reduce((sum, count) => sum + count, 0) };
}

@Injectable()
class Orders {
  completed: () => void = () => undefined;

  @OnPaymentEvent('payment.succeeded')
  paid(): void {
    this.completed();
  }
}

async function traced(): Promise<[string, number][]> {
  const merchant = await Merchant.open({
    payments: { reconciliation: false },
    providers: [Orders],
  });
  const { simulator, payments, app } = merchant;
  const orders = app.get(Orders);
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const requests: Ran[] = [];
  const callbacks: Ran[] = [];
  for (let index = 0; index < REQUESTS; index += 1) {
    // Waits for the webhook of the payment before, and what follows it.
    await sleep(SETTLED_MS);
    ranSince();
    await payments.request(aRequestFrom(PHONE));
    requests.push(ranSince());
    const handset = simulator.handset(PHONE);
    while (!handset.prompts().some(({ state }) => state === 'open')) await sleep(1);
    await new Promise<void>((resolve) => {
      orders.completed = () => {
        callbacks.push(ranSince());
        resolve();
      };
      ranSince();
      handset.approve();
    });
  }
  session.disconnect();
  await merchant.close();
  return [
    ...least('a warm request()', requests),
    ...least('a callback to its listener', callbacks),
  ];
}

const source = tracked.filter((file) => SOURCE.test(file) && !PROOF.test(file));
const ofHosts = source.filter((file) => /^libs\/(payments|postgres)\//.test(file));
const proof = tracked.filter(
  (file) =>
    /^(libs|sample-app|test)\/.*\.ts$/.test(file) && (file.startsWith('test/') || PROOF.test(file)),
);
const documents = tracked.filter((file) =>
  /^(?!\.changeset|.*(CHANGELOG|\/api\/)).*\.md$/.test(file),
);
const longest = Math.max(...source.filter((file) => file.endsWith('.ts')).map(longestConstructor));

const payments = source.filter((file) => /^libs\/payments\/.*\.ts$/.test(file));

const rows: [string, number][] = [
  ['files of payments', payments.length],
  ['declarations of payments', declarationsIn(payments)],
  ['lines of source, payments and postgres', linesOf(ofHosts)],
  ['lines of source, all', linesOf(source)],
  ['lines of proof', linesOf(proof)],
  ...(await traced()),
  ['names that the root exports', namesIn('libs/payments/src/index.ts')],
  [
    'settings of payments',
    settingsIn(
      'libs/payments/src/payments.options.ts',
      'libs/payments/src/accounts/account.options.ts',
      'libs/payments/src/accounts/payments.settings.ts',
    ),
  ],
  ['settings of the store on PostgreSQL', settingsIn('libs/postgres/src/postgres.options.ts')],
  ['longest constructor, parameters', longest],
  ['arrows between folders of payments', arrows()],
  ['words in documents', wordsOf(documents)],
  ['decisions', documents.filter((file) => /^docs\/decisions\/\d/.test(file)).length],
];
for (const [what, count] of rows) console.log(`${what.padEnd(45)}${count}`);
if (process.argv.includes('--update')) update();
if (process.argv.includes('--check')) check();
// The clients of the merchant keep connections open.
process.exit();

function update(): void {
  const kept = Object.keys(JSON.parse(read(KEPT)) as object);
  const now = Object.fromEntries(rows.filter(([what]) => kept.includes(what)));
  writeFileSync(join(ROOT, KEPT), `${JSON.stringify(now, null, 2)}\n`);
}

function check(): void {
  const before = JSON.parse(read(KEPT)) as Record<string, number>;
  const changesets = readdirSync(join(ROOT, '.changeset'))
    .filter((file) => file !== 'README.md' && file.endsWith('.md'))
    .map((file) => read(`.changeset/${file}`))
    .join('\n');
  const risen = rows.filter(([what, count]) => {
    const said = [
      ...changesets.matchAll(
        new RegExp(`^What rose: ${what.replace(/[()]/g, '\\$&')} to ([\\d,]+), for \\S`, 'gm'),
      ),
    ];
    return (
      count >
      Math.max(
        before[what] ?? Infinity,
        ...said.map(([, to = '']) => Number(to.replaceAll(',', ''))),
      )
    );
  });
  for (const [what, count] of risen)
    console.error(
      `"${what}" rose from ${before[what]} to ${count}. Say in a changeset "What rose: ${what} to ${count}, for …", or make it less.`,
    );
  console.log(`${Object.keys(before).length - risen.length} passed, ${risen.length} failed`);
  if (risen.length > 0) process.exit(1);
}
