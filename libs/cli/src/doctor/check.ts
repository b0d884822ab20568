/** `skipped` means that something that the check needs has failed. */
export type Verdict = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  verdict: Verdict;
  /** The result in words; the cause when something is wrong. */
  found: string;
  /** This text says how to cure the problem; null when nothing is wrong. */
  cure: string | null;
}

export interface CheckResult extends Finding {
  check: string;
}

/** One question about an installation. */
export interface Check {
  readonly name: string;
  /** Names of the checks that must not have failed. */
  readonly needs?: readonly string[];
  /** The signal is aborted when the time is over. */
  readonly run: (signal: AbortSignal) => Promise<Finding>;
}

export const ok = (found: string): Finding => ({ verdict: 'ok', found, cure: null });
export const warning = (found: string, cure: string): Finding => ({
  verdict: 'warning',
  found,
  cure,
});
export const failed = (found: string, cure: string): Finding => ({
  verdict: 'failed',
  found,
  cure,
});
export const skipped = (found: string): Finding => ({ verdict: 'skipped', found, cure: null });

/** Runs all checks at the same time, each within the limit. Results come in the order of the checks. */
export function runChecks(checks: readonly Check[], limitMs: number): Promise<CheckResult[]> {
  const results = new Map<string, Promise<CheckResult>>();
  for (const check of checks) {
    const before = (check.needs ?? []).map((name) => results.get(name) as Promise<CheckResult>);
    results.set(check.name, resultOf(check, before, limitMs));
  }
  return Promise.all(results.values());
}

async function resultOf(
  check: Check,
  before: readonly Promise<CheckResult>[],
  limitMs: number,
): Promise<CheckResult> {
  const missing = (await Promise.all(before)).find(
    ({ verdict }) => verdict === 'failed' || verdict === 'skipped',
  );
  const finding = missing
    ? skipped(
        `it needs "${missing.check}", which ${missing.verdict === 'failed' ? 'failed' : 'was skipped'}`,
      )
    : await limited(check, limitMs);
  return { check: check.name, ...finding };
}

/** Gives up a check that does not end within the limit. */
async function limited(check: Check, limitMs: number): Promise<Finding> {
  const signal = AbortSignal.timeout(limitMs);
  const late = new Promise<Finding>((resolve) => {
    signal.addEventListener('abort', () =>
      resolve(
        failed(
          `no answer within ${limitMs / 1000} s`,
          'Look for a firewall that drops packets, or give more time with --timeout.',
        ),
      ),
    );
  });
  return Promise.race([check.run(signal).catch((error: unknown) => unexpected(error)), late]);
}

function unexpected(error: unknown): Finding {
  const text = error instanceof Error ? error.message : String(error);
  return failed(text, 'Correct what the message names, and run tillkit doctor again.');
}
