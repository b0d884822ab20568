import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

describe('The OAuth endpoints of the simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  const credentials = () => ({
    client_id: platform.simulator.clientId,
    client_secret: platform.simulator.clientSecret,
  });
  const tokenForm = () => ({ ...credentials(), grant_type: 'client_credentials' });
  const poll = () => platform.client.get('/api/v2/polling/none');

  it('issue a token for the correct credentials', async () => {
    const answer = await platform.client.form('/oauth/token', tokenForm());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      created_at: Math.floor(platform.simulator.clock.now() / 1000),
    });
  });

  it.each(['client_id', 'client_secret', 'grant_type'])(
    'refuse a token request without %s',
    async (name) => {
      const { [name]: _, ...form } = tokenForm() as Record<string, string>;
      const answer = await platform.client.form('/oauth/token', form);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({
        error: 'invalid_request',
        error_description: `Missing required parameter: ${name}.`,
      });
    },
  );

  it('refuse a repeated parameter', async () => {
    const { client } = platform;
    const form = new URLSearchParams(tokenForm());
    form.append('client_id', 'another');
    const answer = await client.post('/oauth/token', form.toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('refuse a token request in JSON', async () => {
    const answer = await platform.client.post('/oauth/token', tokenForm());
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it.each(['', 'nonsense', 'multipart/form-data'])(
    'refuse a token request of the type "%s"',
    async (type) => {
      const { client } = platform;
      const answer = await client.post(
        '/oauth/token',
        new URLSearchParams(tokenForm()).toString(),
        {
          'content-type': type,
        },
      );
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    },
  );

  it('accept a token request in JSON without strict', async () => {
    await platform.stop();
    platform = await startPlatform({ strict: false });
    expect((await platform.client.post('/oauth/token', tokenForm())).status).toBe(200);
  });

  it.each(['client_id', 'client_secret'])('refuse a wrong %s', async (name) => {
    const answer = await platform.client.form('/oauth/token', { ...tokenForm(), [name]: 'wrong' });
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  it('refuse another grant type', async () => {
    const answer = await platform.client.form('/oauth/token', {
      ...tokenForm(),
      grant_type: 'password',
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } });
  });

  it.each([null, 'Bearer null', 'Bearer ', 'Basic abc', 'Bearer of bad news'])(
    'answer 401 InvalidAccessToken when the authorization is %j',
    async (authorization) => {
      const answer = await platform.client.get('/api/v2/polling/none', { authorization });
      expect(answer).toMatchObject({
        status: 401,
        body: { error_code: 401, error_message: 'InvalidAccessToken' },
      });
    },
  );

  it('answer 401 ExpiredAccessToken after the lifetime of the token', async () => {
    await platform.simulator.clock.advance(3_599_000);
    expect((await poll()).status).toBe(404);
    await platform.simulator.clock.advance(1_000);
    expect(await poll()).toMatchObject({
      status: 401,
      body: { error_message: 'ExpiredAccessToken' },
    });
  });

  it('do not expire a token because of a skewed clock', async () => {
    platform.simulator.clock.skew(86_400_000);
    expect((await poll()).status).toBe(404);
  });

  it('reject every token after expireTokens()', async () => {
    platform.simulator.expireTokens();
    expect(await poll()).toMatchObject({
      status: 401,
      body: { error_message: 'ExpiredAccessToken' },
    });
  });

  it('keep older tokens valid after issuing a new one', async () => {
    const { token } = platform.client;
    await platform.client.authenticate();
    platform.client.token = token;
    expect((await poll()).status).toBe(404);
  });

  it('revoke the older token with singleToken', async () => {
    await platform.stop();
    platform = await startPlatform({ singleToken: true });
    const { token } = platform.client;
    await platform.client.authenticate();
    expect((await poll()).status).toBe(404);
    platform.client.token = token;
    expect(await poll()).toMatchObject({
      status: 401,
      body: { error_message: 'InvalidAccessToken' },
    });
  });

  it('revoke a token and answer 200 with an empty object', async () => {
    const { client } = platform;
    const answer = await client.form('/oauth/revoke', { ...credentials(), token: client.token });
    expect(answer).toMatchObject({ status: 200, body: {} });
    expect(await poll()).toMatchObject({
      status: 401,
      body: { error_message: 'InvalidAccessToken' },
    });
  });

  it('answer 200 to the revocation of an unknown token', async () => {
    const answer = await platform.client.form('/oauth/revoke', {
      ...credentials(),
      token: 'unknown',
    });
    expect(answer).toMatchObject({ status: 200, body: {} });
  });

  it.each(['/oauth/revoke', '/oauth/introspect'])('refuse %s without a token', async (path) => {
    const answer = await platform.client.form(path, credentials());
    expect(answer.body).toEqual({
      error: 'invalid_request',
      error_description: 'Missing required parameter: token.',
    });
  });

  it('introspect a valid token without showing the secret', async () => {
    const { client, simulator } = platform;
    const answer = await client.form('/oauth/introspect', {
      ...credentials(),
      token: client.token,
    });
    expect(answer.body).toEqual({
      active: true,
      scope: '',
      client_id: simulator.clientId,
      token_type: 'Bearer',
      exp: expect.any(Number),
      iat: expect.any(Number),
    });
    expect(answer.body.exp - answer.body.iat).toBe(3600);
  });

  it('introspect an invalid token with active: false only', async () => {
    const { client, simulator } = platform;
    await simulator.clock.advance(3_600_000);
    const answer = await client.form('/oauth/introspect', {
      ...credentials(),
      token: client.token,
    });
    expect(answer.body).toEqual({ active: false });
  });

  it('return the info of the token in use', async () => {
    await platform.simulator.clock.advance(600_000);
    expect((await platform.client.get('/oauth/token/info')).body).toEqual({
      resource_owner_id: null,
      scope: [],
      expires_in: expect.any(Number),
      application: { uid: platform.simulator.clientId },
      created_at: expect.any(Number),
    });
  });
});
