import type { Finding } from './benchmark.js';
import { verdict } from './verdict.format.js';

const HEADS = ['what', 'against', 'target', 'measured', ''];

export function terminalTable(findings: readonly Finding[]): string {
  const rows = [HEADS, ...findings.map(cellsOf)];
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf(finding: Finding): string[] {
  return [finding.what, finding.against, finding.reach, finding.measured, verdict(finding)];
}
