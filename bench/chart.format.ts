import { number, type Spread } from './statistics.js';

export interface Bar {
  label: string;
  value: Spread;
  /** True when the other bars are compared with it. */
  baseline?: boolean;
}

/** A horizontal bar chart. */
export interface Chart {
  title: string;
  unit: string;
  bars: Bar[];
}

const WIDTH = 760;
const LABEL = 300;
const ROW = 30;
const TOP = 44;
const SCALE = WIDTH - LABEL - 110;

/** Colours for light and dark mode: an image cannot use the colours of its page. */
const STYLE = `
  text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 14px; }
  .bar { fill: #0a7d4f; } .baseline { fill: #8c959f; } .spread { stroke: #24292f; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .bar { fill: #3fb984; } .baseline { fill: #6e7681; } .spread { stroke: #e6edf3; }
  }`;

/** Draws a chart as SVG: medians as bars, minimum to maximum as a line on each. */
export function drawChart(chart: Chart): string {
  const most = Math.max(...chart.bars.map(({ value }) => value.high), Number.MIN_VALUE);
  const height = TOP + chart.bars.length * ROW + 8;
  const bars = chart.bars.map((bar, index) => drawBar(bar, TOP + index * ROW, most));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escape(describeChart(chart))}</title>`,
    `<style>${STYLE}\n</style>`,
    `<text class="title" x="8" y="24">${escape(chart.title)} (${escape(chart.unit)})</text>`,
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}

/** Returns the text alternative of a chart. */
export function describeChart({ title, unit, bars }: Chart): string {
  const values = bars.map(({ label, value }) => `${label} ${number(value.median)}`);
  return `${title}, ${unit}: ${values.join('; ')}`;
}

function drawBar({ label, value, baseline }: Bar, y: number, most: number): string {
  const x = (amount: number): number => Number((LABEL + (amount / most) * SCALE).toFixed(1));
  const middle = y + 9;
  return [
    `<text x="${LABEL - 10}" y="${y + 14}" text-anchor="end">${escape(label)}</text>`,
    `<rect class="${baseline ? 'baseline' : 'bar'}" x="${LABEL}" y="${y}" width="${(x(value.median) - LABEL).toFixed(1)}" height="18" rx="2"/>`,
    `<line class="spread" x1="${x(value.low)}" y1="${middle}" x2="${x(value.high)}" y2="${middle}"/>`,
    `<text x="${x(value.high) + 8}" y="${y + 14}">${number(value.median)}</text>`,
  ].join('\n');
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
