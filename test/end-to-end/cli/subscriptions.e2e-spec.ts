import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { tillkit, type Ran } from '../../support/command-line.js';
import { requestsTo } from '../../support/platform.requests.js';
import { json, ScriptedPlatform, token } from '../../support/scripted.platform.js';

const TILL = {
  eventType: 'buygoods_transaction_received',
  scope: 'till',
  scopeReference: '514459',
};
const COMPANY = { eventType: 'customer_created', scope: 'company' };
const SECRET = 'a-secret-of-more-than-32-characters-0001';

interface Planned {
  action: string;
  eventType: string;
  id: string | null;
  url: string;
  why: string | null;
  result?: string;
}

// A command has no HTTP adapter.
describe('tillkit subscriptions', () => {
  let folder: string;
  let simulator: Simulator;
  let environment: Record<string, string>;
  let declared: string;
  let count = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillkit-cli-'));
    simulator = await Simulator.start({ timings: INSTANT_TIMINGS, seed: 1 });
    environment = {
      PAYMENTS_BASE_URL: simulator.url,
      PAYMENTS_CLIENT_ID: simulator.clientId,
      PAYMENTS_CLIENT_SECRET: simulator.clientSecret,
      PAYMENTS_API_KEYS: simulator.apiKey,
      PAYMENTS_PUBLIC_URL: 'https://shop.example',
    };
  });

  beforeEach(async () => {
    declared = join(folder, `subscriptions-${(count += 1)}.json`);
    await writeFile(declared, JSON.stringify([TILL, COMPANY]));
  });

  afterAll(async () => {
    await simulator.stop();
    await rm(folder, { recursive: true });
  });

  const run = (verb: string, ...args: string[]): Promise<Ran> =>
    tillkit(['subscriptions', verb, declared, ...args], { environment });
  const planned = async (...args: string[]): Promise<{ code: number | null; plan: Planned[] }> => {
    const { code, out } = await run('plan', '--json', ...args);
    return { code, plan: (JSON.parse(out) as { plan: Planned[] }).plan };
  };
  const posts = (): number =>
    requestsTo(simulator, 'webhook_subscriptions', { method: 'POST' }).length;
  const created = async (): Promise<{ id: string; url: string }[]> => {
    const text = await readFile(declared.replace('.json', '.created.json'), 'utf8');
    return (JSON.parse(text) as { subscriptions: { id: string; url: string }[] }).subscriptions;
  };
  const actions = ({ plan }: { plan: Planned[] }): string[] => plan.map(({ action }) => action);

  it('plans without a change, creates each subscription once, and has nothing to do then', async () => {
    const before = await planned();
    expect({ code: before.code, actions: actions(before) }).toEqual({
      code: 1,
      actions: ['create', 'create'],
    });
    const { code, out, complaint } = await tillkit(['subscriptions', 'apply', declared], {
      environment,
    });
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
    expect(out).toMatch(/^created +buygoods_transaction_received +till +514459 +[0-9a-f-]{36}$/m);
    expect(out).toMatch(/^created +customer_created +company +[0-9a-f-]{36}$/m);
    const [first] = await created();
    expect(first?.url).toBe('https://shop.example/payments/webhooks');
    const after = await planned();
    expect({ code: after.code, actions: actions(after), id: after.plan[0]?.id }).toEqual({
      code: 0,
      actions: ['keep', 'keep'],
      id: first?.id,
    });
    const sent = posts();
    expect(await run('apply')).toMatchObject({ code: 0, out: expect.stringContaining('keep') });
    expect(posts()).toBe(sent);
  });

  it('creates subscriptions again when the public URL has changed, and names those to remove in the portal', async () => {
    await run('apply');
    await writeFile(declared, JSON.stringify([TILL]));
    const { code, plan } = await planned('--prefix', 'api');
    expect({ code, actions: actions({ plan }), url: plan[0]?.url }).toEqual({
      code: 1,
      actions: ['create', 'remove', 'remove'],
      url: 'https://shop.example/api/payments/webhooks',
    });
    expect(plan[1]?.why).toMatch(/no way to delete it: remove it in the portal/);
  });

  it('keeps no secret of a URL with a MAC', async () => {
    const secret = { ...environment, PAYMENTS_API_KEYS: '', PAYMENTS_URL_SECRETS: SECRET };
    const apply = ['subscriptions', 'apply', declared, '--json'];
    const { code, out } = await tillkit(apply, { environment: secret });
    expect(code).toBe(0);
    const [first] = await created();
    expect(first?.url).toMatch(/\/webhooks\/~[\w-]{43}$/);
    const sent = requestsTo(simulator, 'webhook_subscriptions').at(-1);
    const [, mac] = /webhooks\/([\w-]{43})"/.exec(sent?.body ?? '') ?? [];
    expect(mac).toBeDefined();
    expect(out).not.toContain(mac);
    expect(await readFile(declared.replace('.json', '.created.json'), 'utf8')).not.toContain(mac);
    const again = await tillkit(['subscriptions', 'plan', declared], { environment: secret });
    expect(again.code).toBe(0);
  });

  it('creates nothing when it could not keep what it has created', async () => {
    const before = posts();
    for (const args of [[], ['--json']]) {
      const ran = await run('apply', '--created', join(folder, 'none', 'created.json'), ...args);
      expect(ran).toMatchObject({
        code: 2,
        out: '',
        complaint: expect.stringMatching(/created\.json cannot be written \(ENOENT\): make its/),
      });
    }
    expect(posts()).toBe(before);
    expect(await run('apply')).toMatchObject({ code: 0 });
    expect(posts()).toBe(before + 2);
  });

  it('creates subscriptions that the platform does not have any more, and reports those that it shows differently', async () => {
    const platform = await ScriptedPlatform.open();
    const path = '/api/v1/webhook_subscriptions';
    const scripted = { ...environment, PAYMENTS_BASE_URL: platform.url };
    const at = (id: string) => json(201, {}, { location: `https://platform.invalid${path}/${id}` });
    platform.on('POST /oauth/token', token());
    platform.on(`POST ${path}`, at('one'), at('two'), at('three'));
    const subscriptions = (verb: string): Promise<Ran> =>
      tillkit(['subscriptions', verb, declared, '--json'], { environment: scripted });
    expect(await subscriptions('apply')).toMatchObject({ code: 0 });
    platform.on(
      `GET ${path}/two`,
      json(200, {
        data: {
          id: 'two',
          type: 'webhook_subscription',
          attributes: { scope: 'Company', webhook_uri: 'https://other.example' },
        },
      }),
    );
    const { code, out } = await subscriptions('plan');
    const { plan } = JSON.parse(out) as { plan: Planned[] };
    expect({ code, actions: actions({ plan }) }).toEqual({
      code: 1,
      actions: ['create', 'differs'],
    });
    expect(plan.map(({ why }) => why)).toEqual([
      'the platform does not have one any more',
      'the platform shows the URL https://other.example: correct it in the portal',
    ]);
    expect(await subscriptions('apply')).toMatchObject({ code: 0 });
    expect((await created()).map(({ id }) => id)).toEqual(['two', 'three']);
    platform.on(`POST ${path}`, json(422, { error_message: 'no' }));
    await writeFile(declared, JSON.stringify([{ ...COMPANY, url: 'https://third.example' }]));
    const failed = await subscriptions('apply');
    expect(failed.code).toBe(1);
    const { subscriptions: outcomes } = JSON.parse(failed.out) as { subscriptions: Planned[] };
    expect(outcomes[0]).toMatchObject({ result: 'failed', why: expect.stringContaining('422') });
    await platform.close();
  });

  it.each<[string, string, RegExp]>([
    ['a file that is no JSON', '{', /is no JSON .*write \[\{ "eventType"/],
    ['a file that is no list', '{}', /must be a list/],
    [
      'a wrong subscription',
      JSON.stringify([TILL, { eventType: 'customer_created', scope: 'till', scopeReference: '1' }]),
      /subscription 2: scope must be company/,
    ],
  ])('refuses %s', async (_, text, why) => {
    await writeFile(declared, text);
    expect(await run('plan')).toMatchObject({
      code: 2,
      out: '',
      complaint: expect.stringMatching(why),
    });
  });

  it('names a file that is not there, a broken memory, and settings that are missing', async () => {
    expect(
      await tillkit(['subscriptions', 'plan', join(folder, 'none.json')], { environment }),
    ).toMatchObject({ code: 2, complaint: expect.stringContaining('ENOENT') });
    await writeFile(declared.replace('.json', '.created.json'), '[]');
    expect(await run('plan')).toMatchObject({
      code: 1,
      complaint: expect.stringMatching(/created\.json cannot be used: it has no list/),
    });
    expect(await tillkit(['subscriptions', 'plan', declared])).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('PAYMENTS_CLIENT_ID is missing'),
    });
  });
});
