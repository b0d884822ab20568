import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A fault in the library's source that an attack must find (mutation testing). */
interface PlantedFault {
  name: string;
  /** Path below the root of the repository. */
  file: string;
  /** Text to replace. It must be in the file exactly once. */
  find: string;
  replace: string;
  /** The attack that finds it, and how it is run. */
  run: readonly string[];
  /** What the attack must report. */
  problem: RegExp;
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: 'any signature of the right form is accepted',
    file: 'libs/payments/src/deliveries/signature.ts',
    find: 'let valid = false;',
    replace: 'let valid = true;',
    run: ['--short', '--only', 'mutated'],
    problem: /false accept: 200/,
  },
  {
    name: 'a topic counts as proof',
    file: 'libs/payments/src/deliveries/delivery.parser.ts',
    find: "if (proven !== (reversal ? 'reversed' : 'received'))",
    replace: 'if (proven === undefined)',
    run: ['--deliveries', '20000', '--only', 'mutated'],
    problem: /false accept: \{"name":"till/,
  },
  {
    name: 'a body may be nested as deep as it likes',
    file: 'libs/payments/src/values/json.ts',
    find: 'const MOST_LEVELS = 64;',
    replace: 'const MOST_LEVELS = 1e9;',
    run: ['--short', '--only', 'deep'],
    problem: /logged an error|false accept|no event/,
  },
  {
    name: 'a body may take as long as it likes',
    file: 'libs/payments/src/deliveries/routes/body.reader.ts',
    find: "setTimeout(() => end({ refused: 'slow' }), withinMs)",
    replace: "setTimeout(() => end({ refused: 'slow' }), withinMs * 1000)",
    run: ['--short', '--only', 'never end'],
    problem: /was answered 0/,
  },
  {
    name: 'the bodies that arrive have no limit together',
    file: 'libs/payments/src/deliveries/routes/body.reader.ts',
    find: 'const MOST_BYTES_AT_ONCE = 32 * 1024 * 1024;',
    replace: 'const MOST_BYTES_AT_ONCE = Infinity;',
    run: ['--only', 'never end'],
    problem: /the memory rose/,
  },
];

const HOSTILE = fileURLToPath(new URL('./hostile.ts', import.meta.url));

/** Plants each fault in turn, and runs its attack. True when each is found. */
export async function findPlantedFaults(say: (line: string) => void): Promise<boolean> {
  let missed = 0;
  for (const { name, file, find, replace, run, problem } of PLANTED_FAULTS) {
    const planted = JSON.stringify({ file, find, replace });
    const child = spawn(process.execPath, [...process.execArgv, HOSTILE, '--seed', '1', ...run], {
      env: { ...process.env, PLANTED_FAULT: planted },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await once(child, 'exit');
    const isFound = problem.test(output);
    if (!isFound) missed += 1;
    say(`${isFound ? 'found' : 'MISSED'}: ${name}`);
  }
  say(`${PLANTED_FAULTS.length - missed} of ${PLANTED_FAULTS.length} planted faults found`);
  return missed === 0;
}
