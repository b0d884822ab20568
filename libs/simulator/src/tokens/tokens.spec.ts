import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

describe('tokens', () => {
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

  it('issues a token for the right credentials', async () => {
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
    'refuses a token request without %s',
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

  it('refuses a parameter that is given twice', async () => {
    const { client } = platform;
    const form = new URLSearchParams(tokenForm());
    form.append('client_id', 'another');
    const answer = await client.post('/oauth/token', form.toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('refuses a token request in JSON', async () => {
    const answer = await platform.client.post('/oauth/token', tokenForm());
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it.each(['', 'nonsense', 'multipart/form-data'])(
    'refuses a token request of the type %p',
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

  it('takes a token request in JSON when it is not strict', async () => {
    await platform.stop();
    platform = await startPlatform({ strict: false });
    expect((await platform.client.post('/oauth/token', tokenForm())).status).toBe(200);
  });

  it.each(['client_id', 'client_secret'])('refuses a wrong %s', async (name) => {
    const answer = await platform.client.form('/oauth/token', { ...tokenForm(), [name]: 'wrong' });
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  it('refuses another grant type', async () => {
    const answer = await platform.client.form('/oauth/token', {
      ...tokenForm(),
      grant_type: 'password',
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } });
  });

  it.each([null, 'Bearer null', 'Bearer ', 'Basic abc', 'Bearer of bad news'])(
    'answers 401 InvalidAccessToken to the authorization %p',
    async (authorization) => {
      const answer = await platform.client.get('/api/v2/polling/none', { authorization });
      expect(answer).toMatchObject({
        status: 401,
        body: { error_code: 401, error_message: 'InvalidAccessToken' },
      });
    },
  );

  it('answers 401 ExpiredAccessToken once the token has lived its time', async () => {
    await platform.simulator.clock.advance(3_599_000);
    expect((await poll()).status).toBe(404);
    await platform.simulator.clock.advance(1_000);
    expect(await poll()).toMatchObject({
      status: 401,
      body: { error_message: 'ExpiredAccessToken' },
    });
  });

  it('does not let a skewed clock end a token', async () => {
    platform.simulator.clock.skew(86_400_000);
    expect((await poll()).status).toBe(404);
  });

  it('ends every token on request', async () => {
    platform.simulator.expireTokens();
    expect(await poll()).toMatchObject({
      status: 401,
      body: { error_message: 'ExpiredAccessToken' },
    });
  });

  it('keeps older tokens valid when a new one is issued', async () => {
    const { token } = platform.client;
    await platform.client.authenticate();
    platform.client.token = token;
    expect((await poll()).status).toBe(404);
  });

  it('revokes the older token when it keeps a single one', async () => {
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

  it('revokes a token: 200 and an empty object', async () => {
    const { client } = platform;
    const answer = await client.form('/oauth/revoke', { ...credentials(), token: client.token });
    expect(answer).toMatchObject({ status: 200, body: {} });
    expect(await poll()).toMatchObject({
      status: 401,
      body: { error_message: 'InvalidAccessToken' },
    });
  });

  it('takes the revocation of a token that it never issued', async () => {
    const answer = await platform.client.form('/oauth/revoke', {
      ...credentials(),
      token: 'unheard-of',
    });
    expect(answer).toMatchObject({ status: 200, body: {} });
  });

  it.each(['/oauth/revoke', '/oauth/introspect'])('refuses %s without a token', async (path) => {
    const answer = await platform.client.form(path, credentials());
    expect(answer.body).toEqual({
      error: 'invalid_request',
      error_description: 'Missing required parameter: token.',
    });
  });

  it('introspects a valid token and never tells the secret', async () => {
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

  it('tells of a token that is not valid nothing but that', async () => {
    const { client, simulator } = platform;
    await simulator.clock.advance(3_600_000);
    const answer = await client.form('/oauth/introspect', {
      ...credentials(),
      token: client.token,
    });
    expect(answer.body).toEqual({ active: false });
  });

  it('tells about the token in use', async () => {
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
