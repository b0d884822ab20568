import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Finding } from './planted.finding.js';
import { environmentWith } from './source.fault.js';
import type { SpecFault } from './spec.faults.js';

/** Runs the tests of these faults without the faults. They must pass, otherwise they prove nothing. */
export async function passWithoutFaults(faults: readonly SpecFault[]): Promise<Finding> {
  const { code, output } = await runTests(faults, process.env);
  return code === 0
    ? { isFound: true, detail: 'the tests pass without the faults' }
    : { isFound: false, detail: `tests fail without a fault:\n${output}` };
}

/** Runs the test that must find the fault. */
export async function findBySpec(fault: SpecFault): Promise<Finding> {
  const { output } = await runTests([fault], environmentWith(fault));
  // A file that does not load has no tests that failed.
  const isFound = /^Tests:.*\b[1-9]\d* failed/m.test(output);
  return { isFound, detail: isFound ? fault.spec : `${fault.spec}: "${fault.test}" did not fail` };
}

/** Runs the tests of faults as `npm test` does. */
async function runTests(
  faults: readonly SpecFault[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  const specs = new Set(faults.map(({ spec }) => spec));
  const names = faults.map(({ test }) => test.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  const jest = spawn(
    'npm',
    ['test', '--ignore-scripts', '--', ...specs, '--silent', '-t', names.join('|')],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [jest.stdout, jest.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(jest, 'exit')) as [number | null];
  return { code, output };
}
