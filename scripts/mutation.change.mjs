import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Only sources in this folder are mutated. */
export const SOURCES = 'libs/payments/src';

/** Returns the sources that are mutated, in order. */
export function mutatedSources(root) {
  return readdirSync(join(root, SOURCES), { recursive: true, encoding: 'utf8' })
    .map((file) => `${SOURCES}/${file}`)
    .filter(isMutated)
    .toSorted((one, other) => one.localeCompare(other));
}

/** True for a source of the library. Specs and their fixtures are not mutated. */
function isMutated(file) {
  return (
    file.startsWith(`${SOURCES}/`) &&
    !file.startsWith(`${SOURCES}/testing/`) &&
    /(?<!\.spec)\.ts$/.test(file)
  );
}

/**
 * Returns what has changed since the fork point of HEAD and a commit, committed or not. Without a commit: since the branch left `main`; on `main`,
 * what is not committed, or else the last commit. `lines` has the changed lines of each source that is mutated, or null when it is new; `notMutated`
 * the other changed sources.
 */
export function changeSince(commit, root) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const names = (...args) =>
    git(...args)
      .split('\n')
      .filter(Boolean);
  const base = git('merge-base', 'HEAD', commit ?? defaultBase(git));
  const untracked = names('ls-files', '--others', '--exclude-standard');
  const lines = new Map(untracked.filter(isMutated).map((file) => [file, null]));
  let file;
  for (const line of names(
    'diff',
    '--unified=0',
    '--no-color',
    '--no-ext-diff',
    '--no-renames',
    base,
  )) {
    file = /^\+\+\+ (?:b\/)?(.*)/.exec(line)?.[1] ?? file;
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (!hunk || !isMutated(file)) continue;
    const known = lines.get(file) ?? new Set();
    for (let n = 0; n < Number(hunk[2] ?? 1); n += 1) known.add(Number(hunk[1]) + n);
    if (known.size > 0) lines.set(file, known);
  }
  const changed = [...names('diff', '--name-only', '--no-renames', base), ...untracked];
  return {
    base: base.slice(0, 9),
    lines,
    notMutated: changed.filter((name) => isSource(name) && !isMutated(name)),
    uncommitted: [...names('diff', '--name-only', '--no-renames', 'HEAD'), ...untracked],
  };
}

function isSource(file) {
  return /^libs\/[^/]+\/src\/.*(?<!\.spec)\.(?:ts|js|sql)$/.test(file);
}

function defaultBase(git) {
  const head = git('rev-parse', 'HEAD');
  if (git('merge-base', 'HEAD', 'main') !== head) return 'main';
  return git('status', '--porcelain') === '' ? 'HEAD~1' : 'HEAD';
}
