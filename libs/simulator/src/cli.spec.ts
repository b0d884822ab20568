import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommand, type CliResult } from './cli.command.js';
import { readOptions } from './cli.options.js';
import { environmentOf } from './pages/environment.format.js';
import { SCENARIOS } from './scenarios/scenarios.constants.js';
import { CERTIFICATE } from './testing/certificate.fixture.js';

describe('The command line of the simulator', () => {
  async function run(...args: string[]): Promise<CliResult & { out: string; error: string }> {
    const printed = { out: '', error: '' };
    const result = await runCommand(args, {
      out: (text) => void (printed.out += text),
      error: (text) => void (printed.error += text),
    });
    return { ...result, ...printed };
  }

  it('starts a platform and prints the settings of an application and every scenario', async () => {
    const result = await run('--port', '0', '--till', '7', '--till', 'K8', '--scenario', 'handset');
    if (!('simulator' in result)) throw new Error(result.error);
    const { simulator, out } = result;
    for (const fact of [
      simulator.url,
      environmentOf(simulator, simulator.merchants.first()),
      '7, K8',
      `${simulator.url}/\n`,
    ]) {
      expect(out).toContain(fact);
    }
    for (const [name, { digits, summary }] of Object.entries(SCENARIOS)) {
      expect(out).toMatch(new RegExp(`…${digits} +${name} +${summary.replace(/[.()]/g, '\\$&')}`));
    }
    await simulator.stop();
  });

  it('passes repeated and optional options to the simulator', () => {
    const args = ['--till', '7', '--till', 'K8', '--plain-host', 'a', '--plain-host', 'b'];
    const more = [
      '--seed',
      '5',
      '--single-token',
      '--both-api-versions',
      '--public-url',
      'https://platform.example',
    ];
    const output = { out: () => undefined, error: () => undefined };
    expect(readOptions([...args, ...more], output)).toMatchObject({
      tillNumbers: ['7', 'K8'],
      allowPlainCallbackHosts: ['a', 'b'],
      seed: 5,
      singleToken: true,
      apiVersions: 'both',
      publicUrl: 'https://platform.example',
    });
  });

  it('serves HTTPS with a key and a certificate', async () => {
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

  it('gives each till the opening balance', () => {
    const args = ['--till', '7', '--till', '8', '--opening-balance', '50'];
    expect(readOptions(args, { out: () => undefined, error: () => undefined })).toMatchObject({
      openingBalances: { '7': 50, '8': 50 },
    });
  });

  it('listens on port 4010 with constant credentials by default', () => {
    expect(readOptions([], { out: () => undefined, error: () => undefined })).toEqual({
      port: 4010,
      openingBalances: { '514459': 100_000, '000123': 100_000, K000123: 100_000 },
      host: '127.0.0.1',
      clientId: 'simulator-client-id',
      clientSecret: 'simulator-client-secret',
      apiKey: 'simulator-api-key',
      defaultScenario: 'succeeds',
      singleToken: false,
      apiVersions: 'contract',
      allowPlainCallbackHosts: [],
      allowedHosts: [],
    });
  });

  const silent = { out: () => undefined, error: () => undefined };

  it('reads each merchant, with constant credentials that end in its name', () => {
    const one = ['--merchant', 'name=one,till=1,till=K1'];
    const two = ['--merchant', 'name=two,till=2,client-id=id,client-secret=a=b,api-key=key'];
    const options = readOptions([...one, ...two, '--opening-balance', '50'], silent);
    expect(options).toMatchObject({
      merchants: [
        {
          name: 'one',
          clientId: 'simulator-client-id-one',
          clientSecret: 'simulator-client-secret-one',
          apiKey: 'simulator-api-key-one',
          tillNumbers: ['1', 'K1'],
          openingBalances: { '1': 50, K1: 50 },
        },
        { name: 'two', clientId: 'id', clientSecret: 'a=b', apiKey: 'key', tillNumbers: ['2'] },
      ],
    });
    expect(options).not.toHaveProperty('clientId');
  });

  it('keeps the merchant of the other options beside the named ones when one of them is given', () => {
    const options = readOptions(['--merchant', 'name=one,till=1', '--till', '7'], silent);
    expect(options).toMatchObject({
      clientId: 'simulator-client-id',
      tillNumbers: ['7'],
      openingBalances: { '7': 100_000 },
      merchants: [{ name: 'one' }],
    });
  });

  it('prints the settings of each merchant', async () => {
    const result = await run(
      '--port',
      '0',
      '--merchant',
      'name=one,till=1',
      '--merchant',
      'name=two,till=2',
    );
    if (!('simulator' in result)) throw new Error(result.error);
    for (const { name, clientId, clientSecret, apiKey } of result.simulator.merchants.list()) {
      for (const fact of [name, clientId, clientSecret, apiKey]) expect(result.out).toContain(fact);
    }
    await result.simulator.stop();
  });

  it('prints where the settings of many merchants are', async () => {
    const merchants = Array.from({ length: 11 }, (_, at) => [
      '--merchant',
      `name=m${at},till=${at}`,
    ]);
    const result = await run('--port', '0', ...merchants.flat());
    if (!('simulator' in result)) throw new Error(result.error);
    expect(result.out).toContain(`11, listed at ${result.simulator.url}/_simulator/merchants`);
    expect(result.out).not.toContain('simulator-client-secret');
    await result.simulator.stop();
  });

  it('never prints a secret of a merchant that it refuses', async () => {
    const result = await run('--merchant', 'name=one,client-secret=hidden');
    expect(result.error).toContain('--merchant needs name=<name> and till=<till>.');
    expect(result.error).not.toContain('hidden');
  });

  it('prints its options and its version', async () => {
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
    ['--prot 1', /^Unknown option '--prot'\n\(Did you mean --port\?\)/],
    ['--port', /^Option '--port <number>' argument missing/],
    ['--port http', /--port must be a whole number from 0 to 65535, not "http"/],
    ['--port 70000', /--port must be a whole number/],
    ['--seed -1', /--seed/],
    ['--scenario none', /--scenario must be one of succeeds,/],
    ['--tls-key key.pem', /belong together/],
    ['--redirect-port 1', /needs --tls-key/],
    ['--tls-key /none --tls-cert /none', /cannot read \/none/],
    ['--merchant one', /--merchant has "one" which is not one of its fields/],
    ['--merchant name=one', /--merchant needs name=<name> and till=<till>/],
    ['--merchant till=1', /--merchant needs name=/],
    ['--merchant name=one,till=', /--merchant has "till" without a value/],
    ['--merchant name=one,name=two,till=1', /--merchant has name more than once/],
    ['--merchant name=one,tills=1', /"tills" which is not one of its fields.*client-secret/],
    ['start', /Unexpected argument 'start'/],
  ])('refuses %s with exit code 2, the reason and the usage', async (line, message) => {
    const result = await run(...line.split(' '));
    expect(result).toMatchObject({ exitCode: 2, error: expect.stringMatching(message) });
    expect(result.error).toContain('Usage:');
  });

  it('refuses an invalid till with exit code 1', async () => {
    expect(await run('--till', 'shop')).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('"shop"'),
    });
  });

  it('refuses two merchants with one till with exit code 1', async () => {
    const result = await run('--merchant', 'name=one,till=1', '--merchant', 'name=two,till=1');
    expect(result).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining('"1", a till of the merchant "one"'),
    });
  });

  it('reports that the port is in use and what to do', async () => {
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
