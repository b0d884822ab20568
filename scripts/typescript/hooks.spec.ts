import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const REGISTER = join(import.meta.dirname, 'register.mjs');

describe('TypeScript sources in a process of their own', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillkit-typescript-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (files: Record<string, string>): string => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return execFileSync(process.execPath, ['--import', REGISTER, join(folder, 'main.ts')], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '--enable-source-maps' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };

  it('import each other by the names of what they become, and have the types that decorators read', () => {
    const files = {
      'main.ts': `
        import { Amount } from './amount.js';
        import { plain } from './plain.js';
        const types: unknown[] = [];
        Object.assign(Reflect, {
          metadata: (key: string, value: unknown) => () => { if (key === 'design:type') types.push(value); },
        });
        const field = (): void => undefined;
        class Payment { @field amount: Amount; }
        console.log(new Payment().constructor.name, types[0] === Amount, plain);`,
      'amount.ts': 'export class Amount {}',
      'plain.js': 'export const plain = "JavaScript";',
      'package.json': '{ "type": "module" }',
    };
    expect(run(files)).toBe('Payment true JavaScript\n');
    expect(run(files)).toBe('Payment true JavaScript\n');
  });

  it('run as they are now, and errors name their lines', () => {
    const failing = (text: string): string =>
      run({
        'main.ts': `type Text = string;\n\nconst text: Text = '${text}';\nthrow new Error(text);`,
      });
    expect(() => failing('one')).toThrow(/main\.ts:4\n[^]*Error: one/);
    expect(() => failing('other')).toThrow('Error: other');
  });
});
