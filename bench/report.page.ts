import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { format } from 'prettier';
import type { Table } from './benchmark.js';
import { BENCHMARKS } from './benchmarks.catalogue.js';
import { describeChart, drawChart } from './chart.format.js';
import type { Facts, Result } from './bench.result.js';
import { verdict } from './verdict.format.js';

type PageResult = Omit<Result, 'samples'> & { facts: Facts };

const DOCS = new URL('../docs/', import.meta.url);
const PAGE = new URL('performance.md', DOCS);
const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

/** Writes the part of docs/performance.md between its markers, and its charts. */
export async function writePage(results: readonly PageResult[], facts: Facts): Promise<void> {
  const ordered = BENCHMARKS.flatMap(
    ({ name }) => results.find((result) => result.name === name) ?? [],
  );
  const sections = await Promise.all(ordered.map(writeSection));
  const page = await readFile(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(
      `${PAGE.pathname} must contain the lines ${BEGIN} and ${END}. Restore them from git.`,
    );
  const measured = [machine(facts, ordered), writeTable(findingsOf(ordered)), ...sections].join(
    '\n\n',
  );
  const text = `${before}${BEGIN}\n\n${measured}\n\n${END}${after}`;
  await writeFile(
    PAGE,
    await format(text, { parser: 'markdown', singleQuote: true, printWidth: 100 }),
  );
}

function machine(facts: Facts, results: readonly PageResult[]): string {
  const postgres = results.map((result) => result.facts.postgres).find((found) => found);
  const durable = postgres
    ? ` PostgreSQL ${postgres['server_version']} on the same machine: fsync ${postgres['fsync']}, ` +
      `synchronous_commit ${postgres['synchronous_commit']}, full_page_writes ${postgres['full_page_writes']}.`
    : '';
  const others = results.filter(
    ({ facts: { commit, date } }) => commit !== facts.commit || date !== facts.date,
  );
  const older = others.length
    ? ` Measured earlier, at other commits: ${others.map((one) => `${one.name} (${one.facts.date}, ${one.facts.commit})`).join(', ')}.`
    : '';
  return (
    `Measured on ${facts.date} at commit ${facts.commit}: Node ${facts.node}, ${facts.cores} cores (${facts.processor}), ` +
    `${facts.memoryGb} GB. Contenders, load and platforms: ${facts.contenders}.${durable}${older}`
  );
}

function findingsOf(results: readonly PageResult[]): Table {
  return {
    head: ['what', 'against', 'measured: median (minimum–maximum)', 'target'],
    rows: results.flatMap(({ findings }) =>
      findings
        .filter(({ reached }) => reached !== null)
        .map((finding) => [
          finding.what,
          finding.against,
          finding.measured,
          `${finding.reach}: ${verdict(finding)}`,
        ]),
    ),
  };
}

function writeTable({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

async function writeSection({ name, title, charts, tables, notes }: PageResult): Promise<string> {
  const pictures = await Promise.all(
    charts.map(async (chart, index) => {
      const file = `bench-${name}${index === 0 ? '' : `-${index + 1}`}.svg`;
      await mkdir(new URL('images/', DOCS), { recursive: true });
      await writeFile(new URL(`images/${file}`, DOCS), drawChart(chart));
      return `![${describeChart(chart)}](images/${file})`;
    }),
  );
  return [`## ${title}`, ...pictures, ...(tables ?? []).map(writeTable), ...(notes ?? [])].join(
    '\n\n',
  );
}
