/** Prints the time of CPU profiles by package and by function: node ... profile.summary.ts FILE.cpuprofile ... */
import { readFileSync } from 'node:fs';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const MAX_ROWS = 25;

for (const file of process.argv.slice(2)) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byFunction = new Map<string, number>();
  const byPackage = new Map<string, number>();
  let busy = 0;
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    const delta = timeDeltas[index] ?? 0;
    if (!frame || frame.functionName === '(idle)') return;
    busy += delta;
    const from = packageOf(frame.url);
    const name = `${frame.functionName || '(anonymous)'} ${from}:${frame.url.split('/').at(-1)}:${frame.lineNumber + 1}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + delta);
    byPackage.set(from, (byPackage.get(from) ?? 0) + delta);
  });
  console.log(`\n${file}: busy ${(busy / 1000).toFixed(0)} ms`);
  for (const table of [byPackage, byFunction]) {
    console.log('');
    const rows = [...table].toSorted(([, one], [, other]) => other - one).slice(0, MAX_ROWS);
    for (const [name, time] of rows)
      console.log(`${((time / busy) * 100).toFixed(1).padStart(6)} %  ${name}`);
  }
}

function packageOf(url: string): string {
  if (url === '') return '(native)';
  if (url.startsWith('node:')) return url.split('/')[0] as string;
  const inside = /\/libs\/([^/]+)\//.exec(url);
  if (inside) return `@tillkit/${inside[1]}`;
  const found = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url);
  return found?.[1] ?? 'bench';
}
