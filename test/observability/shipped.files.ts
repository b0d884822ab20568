import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../../libs/payments/observability/', import.meta.url);

export const RULES_FILE = fileURLToPath(new URL('alerts.yaml', FOLDER));
/** `promtool test rules` checks with it what the rules say of a system. */
export const RULES_TEST_FILE = fileURLToPath(new URL('alerts.test.yaml', import.meta.url));

export interface PanelQuery {
  panel: string;
  expression: string;
}

interface Dashboard {
  panels: { title: string; type: string; targets?: { expr: string }[] }[];
}

/** Returns the queries of all panels of the dashboard that the package ships. */
export function panelQueries(): PanelQuery[] {
  const text = readFileSync(new URL('dashboard.json', FOLDER), 'utf8');
  return (JSON.parse(text) as Dashboard).panels
    .filter(({ type }) => type !== 'row')
    .flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ panel: title, expression: expr })),
    );
}

/** Returns the titles of the panels that have no query. */
export function panelsWithoutQuery(): string[] {
  const queried = new Set(panelQueries().map(({ panel }) => panel));
  const text = readFileSync(new URL('dashboard.json', FOLDER), 'utf8');
  return (JSON.parse(text) as Dashboard).panels
    .filter(({ type, title }) => type !== 'row' && !queried.has(title))
    .map(({ title }) => title);
}

/** Returns the text of the rules that the package ships. */
export function rulesText(): string {
  return readFileSync(RULES_FILE, 'utf8');
}

/** Returns the names of the rules in a text. */
export function ruleNames(text: string): string[] {
  return [...text.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
}

/**
 * Returns a copy of the rules that fires within seconds: `for: 5m` becomes 1 s, each window becomes 15 s, and the limits of ages become 1 s.
 * Everything else stays as it is shipped.
 */
export function hurried(rules: string): string {
  return rules
    .replace(/for: \d+[smh]/g, 'for: 1s')
    .replace(/\[\d+[smh]\]/g, '[15s]')
    .replace(/offset \d+[smh]/g, 'offset 15s')
    .replace(/(backlog_age[^\n]*) > \d+/g, '$1 > 1');
}

/** Returns a query of the dashboard as Grafana sends it. */
export function asSent(expression: string): string {
  return expression.replaceAll('$__rate_interval', '15s').replaceAll('$job', '.*');
}
