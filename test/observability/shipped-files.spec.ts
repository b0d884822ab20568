import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { METRICS, type Metric } from '../../libs/payments/src/runtime/telemetry/metrics-list.js';
import {
  hurried,
  panelQueries,
  panelsWithoutQuery,
  ruleNames,
  rulesText,
} from './shipped.files.js';

/** Labels that Prometheus adds. */
const OF_PROMETHEUS = ['job', 'instance', 'le'];

const SUFFIXES = { counter: ['_total'], histogram: ['_bucket', '_sum', '_count'], gauge: [''] };

/** Returns the names of a metric in Prometheus: with its unit, as the Collector writes it, and without, as the exporter of the SDK does. */
function prometheusNames({ name, type, unit }: Metric): string[] {
  const base = name.replaceAll('.', '_');
  const units = unit === 's' ? ['', '_seconds'] : [''];
  return units.flatMap((suffix) => SUFFIXES[type].map((end) => base + suffix + end));
}

/** Returns the expressions of the rules, which stand on one line or on the lines below. */
function ruleExpressions(): string[] {
  return [...rulesText().matchAll(/expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/g)].map(
    ([, lines, line]) => (lines ?? line ?? '').trim(),
  );
}

const metrics: readonly Metric[] = Object.values(METRICS);
const expressions = [...panelQueries().map(({ expression }) => expression), ...ruleExpressions()];

describe('The dashboard and the rules that the package ships', () => {
  it('name only metrics that the library exports, in both ways to write them, with attributes that these have', () => {
    expect(expressions.length).toBeGreaterThan(35);
    for (const expression of expressions) {
      const selectors = [...expression.matchAll(/\{__name__=~"([^"]+)"([^}]*)\}/g)];
      expect(selectors).not.toEqual([]);
      for (const [selector, pattern = '', filters = ''] of selectors) {
        const matches = new RegExp(`^(?:${pattern})$`);
        const named = metrics.filter((metric) =>
          prometheusNames(metric).some((name) => matches.test(name)),
        );
        expect([selector, named.length]).toEqual([selector, 1]);
        const [metric] = named as [Metric];
        const missing = prometheusNames(metric)
          .filter((name) => name.endsWith(/_(?:bucket|count|sum|total)$/.exec(pattern)?.[0] ?? ''))
          .filter((name) => !matches.test(name));
        expect([selector, missing]).toEqual([selector, []]);
        const labels = metric.attributes.map((attribute) => attribute.replaceAll('.', '_'));
        const filtered = [...filters.matchAll(/(\w+)(?:=~|!=|=)/g)].map(([, label = '']) => label);
        const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) =>
          names.split(',').map((label) => label.trim()),
        );
        for (const label of [...filtered, ...grouped])
          expect([...labels, ...OF_PROMETHEUS]).toContain(label);
      }
      // No metric is named outside of such a selector, where this test would not see it.
      expect(expression.replaceAll(/"[^"]*"/g, '')).not.toMatch(/tillkit_\w+\{|http_client|_total/);
    }
  });

  it('have a query in each panel, and each metric in one of them', () => {
    expect(panelsWithoutQuery()).toEqual([]);
    const unused = metrics.filter(
      (metric) =>
        !prometheusNames(metric).some((name) =>
          panelQueries().some(({ expression }) =>
            [...expression.matchAll(/__name__=~"([^"]+)"/g)].some(([, pattern = '']) =>
              new RegExp(`^(?:${pattern})$`).test(name),
            ),
          ),
        ),
    );
    expect(unused.map(({ name }) => name)).toEqual([]);
  });

  it('have rules that page or open a ticket, each with its runbook in the documentation', () => {
    const text = rulesText();
    const names = ruleNames(text);
    const docs = readFileSync(new URL('../../docs/observability.md', import.meta.url), 'utf8');
    expect(new Set(names).size).toBe(names.length);
    expect(ruleExpressions()).toHaveLength(names.length);
    expect([...text.matchAll(/severity: (page|ticket)/g)]).toHaveLength(names.length);
    for (const name of names) {
      expect(docs).toContain(`### ${name}\n`);
      expect(text).toContain(`runbook: docs/observability.md#${name.toLowerCase()}`);
    }
  });

  it('change only their times for the run against a real Prometheus', () => {
    const lines = rulesText().split('\n');
    const changed = hurried(rulesText()).split('\n');
    expect(changed).toHaveLength(lines.length);
    const withoutTimes = (line: string): string =>
      line
        .replace(/for: \d+[smh]/, '')
        .replace(/\[\d+[smh]\]/g, '')
        .replace(/offset \d+[smh]/g, '')
        .replace(/(backlog_age.*) > \d+/, '$1');
    lines.forEach((line, at) => expect(withoutTimes(changed[at] ?? '')).toBe(withoutTimes(line)));
  });
});
