import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readArguments } from './cli.arguments.js';
import { runCommand, type CliResult } from './cli.command.js';
import { SCENARIOS } from './scenarios/scenarios.table.js';
import { CERTIFICATE } from './testing/certificate.fixture.js';

describe('the command line', () => {
  async function run(...args: string[]): Promise<CliResult & { out: string; error: string }> {
    const printed = { out: '', error: '' };
    const result = await runCommand(args, {
      out: (text) => void (printed.out += text),
      error: (text) => void (printed.error += text),
    });
    return { ...result, ...printed };
  }

  it('starts a platform and prints all that an application needs, and every scenario', async () => {
    const result = await run('--port', '0', '--till', '7', '--till', 'K8', '--scenario', 'handset');
    if (!('simulator' in result)) throw new Error(result.error);
    const { simulator, out } = result;
    for (const fact of [
      simulator.url,
      simulator.clientId,
      simulator.clientSecret,
      simulator.apiKey,
      '7, K8',
      `${simulator.url}/control`,
      `${simulator.url}/handset/+254700000014`,
    ]) {
      expect(out).toContain(fact);
    }
    for (const [name, { digits, summary }] of Object.entries(SCENARIOS)) {
      expect(out).toMatch(new RegExp(`…${digits} +${name} +${summary.replace(/[.()]/g, '\\$&')}`));
    }
    await simulator.stop();
  });

  it('speaks TLS with a key and a certificate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'simulator-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    writeFileSync(key, CERTIFICATE.key);
    writeFileSync(cert, CERTIFICATE.cert);
    const files = ['--tls-key', key, '--tls-cert', cert, '--receiver-ca', cert];
    const result = await run(
      '--port',
      '0',
      ...files,
      '--public-url',
      'https://platform.example',
      '--seed',
      '5',
    );
    if (!('simulator' in result)) throw new Error(result.error);
    expect(result.out).toContain(`${result.simulator.redirectUrl} (redirects)`);
    await result.simulator.stop();
  });

  it('listens on 4010 with steady credentials when told nothing', () => {
    expect(readArguments([])).toMatchObject({
      command: 'start',
      options: {
        port: 4010,
        host: '127.0.0.1',
        clientId: 'simulator-client-id',
        apiKey: 'simulator-api-key',
      },
    });
  });

  it('prints its usage and its version', async () => {
    expect(await run('--help')).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('--port <number>'),
    });
    expect(await run('-v')).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  it.each([
    [['--prot', '1'], /Unknown option '--prot'/],
    [['--port'], /argument missing/],
    [['--port', 'http'], /--port must be a whole number from 0 to 65535, not "http"/],
    [['--port', '70000'], /--port must be a whole number/],
    [['--seed', '-1'], /--seed/],
    [['--scenario', 'none'], /--scenario must be one of succeeds,/],
    [['--tls-key', 'key.pem'], /belong together/],
    [['--redirect-port', '1'], /needs --tls-key/],
    [['--tls-key', '/none', '--tls-cert', '/none'], /cannot read \/none/],
    [['start'], /Unexpected argument 'start'/],
  ])('refuses %j and shows the usage', async (args, message) => {
    const result = await run(...args);
    expect(result).toMatchObject({ exitCode: 2, error: expect.stringMatching(message) });
    expect(result.error).toContain('Usage:');
  });

  it('says that a till makes no sense', async () => {
    expect(await run('--till', 'shop')).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('"shop"'),
    });
  });

  it('says that the port is taken', async () => {
    const first = await run('--port', '0');
    if (!('simulator' in first)) throw new Error(first.error);
    const second = await run('--port', new URL(first.simulator.url).port);
    expect(second).toMatchObject({
      exitCode: 1,
      error: expect.stringMatching(/EADDRINUSE.*another port/),
    });
    await first.simulator.stop();
  });
});
