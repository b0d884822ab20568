import { describe, expect, it } from '@jest/globals';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { PaymentsOptions } from '../payments.options.js';
import { VARIABLES } from './environment-variables.js';
import { resolveAddedSettings, resolveSettings } from './settings.reader.js';

const ENVIRONMENT: Record<string, string> = {
  PAYMENTS_BASE_URL: 'https://platform.example',
  PAYMENTS_CLIENT_ID: 'id',
  PAYMENTS_CLIENT_SECRET: 'secret',
  PAYMENTS_PUBLIC_URL: 'https://shop.example/base/',
  PAYMENTS_API_KEYS: 'the-first-api-key, the-second-api-key',
};

const read =
  (changes: Record<string, string | undefined> = {}) =>
  (name: string): string | undefined =>
    ({ ...ENVIRONMENT, ...changes })[name];

function problems(
  options: PaymentsOptions,
  changes: Record<string, string | undefined> = {},
): readonly string[] {
  try {
    resolveSettings(options, read(changes));
  } catch (error) {
    if (error instanceof PaymentsConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('come from the environment when there are no options', () => {
    expect(
      resolveSettings(
        {},
        read({ PAYMENTS_TILL_ALIASES: 'K000123=514459', PAYMENTS_DEFAULT_COUNTRY: 'KE' }),
      ),
    ).toMatchObject({
      account: 'default',
      baseUrl: 'https://platform.example',
      publicUrl: 'https://shop.example/base',
      apiKeys: ['the-first-api-key', 'the-second-api-key'],
      urlSecrets: [],
      tillAliases: { K000123: '514459' },
      channel: 'M-PESA STK Push',
      defaultCountry: 'KE',
      http: { createTimeoutMs: 30_000, readTimeoutMs: 10_000 },
      sending: { sendBeforeMs: 60_000 },
    });
  });

  it('let tokens come from the same origin and write the documented versions of the API by default', () => {
    expect(resolveSettings({}, read())).toMatchObject({
      tokenBaseUrl: 'https://platform.example',
      apiVersions: { webhookSubscriptions: 'v1', polling: 'v2', incomingPayments: 'v2' },
      deliveries: { acceptedStatuses: {} },
    });
  });

  it.each<[string, PaymentsOptions, Record<string, string>]>([
    [
      'the environment',
      {},
      {
        PAYMENTS_TOKEN_BASE_URL: 'https://tokens.example/',
        PAYMENTS_API_VERSIONS: 'webhookSubscriptions = v2, polling=v1',
      },
    ],
    [
      'options',
      {
        tokenBaseUrl: 'https://tokens.example',
        apiVersions: { webhookSubscriptions: 'v2', polling: 'v1', incomingPayments: undefined },
      },
      { PAYMENTS_TOKEN_BASE_URL: 'https://no.example', PAYMENTS_API_VERSIONS: 'polling=v2' },
    ],
  ])('take the token host and the versions of the API from %s', (_, options, variables) => {
    expect(resolveSettings(options, read(variables))).toMatchObject({
      baseUrl: 'https://platform.example',
      tokenBaseUrl: 'https://tokens.example',
      apiVersions: { webhookSubscriptions: 'v2', polling: 'v1', incomingPayments: 'v2' },
    });
  });

  it('in options take precedence over the environment', () => {
    const { baseUrl, apiKeys } = resolveSettings(
      { baseUrl: 'https://other.example', apiKeys: ['an-api-key-of-my-own'] },
      read(),
    );
    expect({ baseUrl, apiKeys }).toEqual({
      baseUrl: 'https://other.example',
      apiKeys: ['an-api-key-of-my-own'],
    });
  });

  it('of a named account read nothing from the environment', () => {
    expect(problems({ account: 'shop' })).toEqual([
      expect.stringContaining('baseUrl of account "shop" is missing'),
      expect.stringContaining('clientId of account "shop" is missing'),
      expect.stringContaining('clientSecret of account "shop" is missing'),
      expect.stringContaining('publicUrl of account "shop" is missing'),
      expect.stringContaining(
        'apiKeys of account "shop" or urlSecrets of account "shop" is required',
      ),
    ]);
  });

  it('that are missing are all named in one error, each with the value to set', () => {
    const missing = Object.fromEntries(Object.keys(ENVIRONMENT).map((name) => [name, undefined]));
    expect(problems({}, missing)).toHaveLength(5);
    expect(problems({}, missing).join('\n')).toMatch(
      /set it to the application key from the merchant portal/,
    );
  });

  it('that are undefined within a group have their defaults', () => {
    const { http, reconciliation } = resolveSettings(
      { http: { createTimeoutMs: undefined }, reconciliation: false },
      read(),
    );
    expect(http.createTimeoutMs).toBe(30_000);
    expect(reconciliation.enabled).toBe(false);
  });

  it.each([
    ['are a text', 'declined', /^knownFailures must be a list/],
    [
      'have a row without a message',
      [{ texts: ['declined'], reason: 'rejected', retry: 'no' }],
      /^knownFailures\[0\]\.message must/,
    ],
  ])('are refused when the known failures %s', (_, knownFailures, problem) => {
    expect(problems({ knownFailures } as never)).toEqual([expect.stringMatching(problem)]);
  });

  it.each<[string, unknown, RegExp]>([
    [
      'are no object',
      ['Received'],
      /deliveries.acceptedStatuses must be an object such as .*, not a list/,
    ],
    [
      'have a topic that we do not know',
      { paybill_transaction_received: ['Received'] },
      /has "paybill_transaction_received", which is no topic whose status counts: use buygoods_/,
    ],
    [
      'have a topic without a status',
      { customer_created: ['Created'] },
      /has "customer_created", which is no topic whose status counts/,
    ],
    [
      'have one word instead of a list',
      { card_transaction_received: 'Settled' },
      /must give card_transaction_received a list of words such as \['Received'\]/,
    ],
    [
      'have no word',
      { card_transaction_received: [] },
      /must give card_transaction_received a list/,
    ],
    [
      'have an empty word',
      { card_transaction_received: [' '] },
      /must give card_transaction_received a list of words.*not empty/,
    ],
    [
      'have a word of the reversal for received money',
      { card_transaction_received: ['Voided'] },
      /must not let "Voided" mean both .* remove it from card_transaction_received/,
    ],
    [
      'have a word of received money for the reversal',
      { b2b_transaction_reversed: ['Complete'] },
      /must not let "Complete" mean both/,
    ],
  ])('are refused when the accepted statuses %s', (_, acceptedStatuses, problem) => {
    const deliveries = { acceptedStatuses } as never;
    expect(problems({ deliveries })).toEqual([expect.stringMatching(problem)]);
  });

  it.each<[string, unknown, RegExp]>([
    ['are no object', 'polling=v1', /^apiVersions must be an object .*, not a string/],
    [
      'have a resource with one version',
      { smsNotifications: 'v2' },
      /^apiVersions has "smsNotifications", which has no choice of versions: use webhookSubscriptions, polling, incomingPayments/,
    ],
    [
      'have another version',
      { polling: 'v3' },
      /must give polling a version of the platform: v1 or v2/,
    ],
    ['have a number', { polling: 2 }, /must give polling a version of the platform: v1 or v2/],
  ])('are refused when the API versions %s', (_, apiVersions, problem) => {
    expect(problems({ apiVersions: apiVersions as never })).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    [
      'a plain http: token host',
      { PAYMENTS_TOKEN_BASE_URL: 'http://tokens.example' },
      /PAYMENTS_TOKEN_BASE_URL must start with https:/,
    ],
    [
      'a token host with a path',
      { PAYMENTS_TOKEN_BASE_URL: 'https://tokens.example/oauth' },
      /PAYMENTS_TOKEN_BASE_URL must be an origin without a path: write https:\/\/tokens.example/,
    ],
    [
      'a variable of API versions that is no pair',
      { PAYMENTS_API_VERSIONS: 'v2' },
      /PAYMENTS_API_VERSIONS has "v2", which has no choice of versions/,
    ],
    [
      'a plain http: base URL',
      { PAYMENTS_BASE_URL: 'http://platform.example' },
      /PAYMENTS_BASE_URL must start with https:/,
    ],
    [
      'a base URL with a path',
      { PAYMENTS_BASE_URL: 'https://platform.example/api' },
      /write https:\/\/platform.example/,
    ],
    [
      'a base URL with a password',
      { PAYMENTS_BASE_URL: 'https://a:b@platform.example' },
      /no user name or password/,
    ],
    ['a base URL that is none', { PAYMENTS_BASE_URL: 'platform' }, /absolute https: URL/],
    [
      'a plain http: public URL',
      { PAYMENTS_PUBLIC_URL: 'http://shop.example' },
      /PAYMENTS_PUBLIC_URL must start with https:/,
    ],
    ['a public URL with a query', { PAYMENTS_PUBLIC_URL: 'https://shop.example/?a=b' }, /no query/],
    [
      'no means of verification',
      { PAYMENTS_API_KEYS: undefined },
      /PAYMENTS_API_KEYS or PAYMENTS_URL_SECRETS is required/,
    ],
    [
      'an empty API key in the list',
      { PAYMENTS_API_KEYS: 'one,,two' },
      /PAYMENTS_API_KEYS has an empty element/,
    ],
    ['a short URL secret', { PAYMENTS_URL_SECRETS: 'short' }, /at least 32 characters/],
    [
      'a till that is none',
      { PAYMENTS_TILL_NUMBER: 'till' },
      /PAYMENTS_TILL_NUMBER must be digits/,
    ],
    ['an alias that is none', { PAYMENTS_TILL_ALIASES: 'K1' }, /pairs such as K000123=514459/],
    ['an alias of an alias', { PAYMENTS_TILL_ALIASES: 'K1=2,2=3' }, /itself an alias/],
    ['a user agent without version', { PAYMENTS_USER_AGENT: 'shop' }, /product\/version/],
    ['a country that is none', { PAYMENTS_DEFAULT_COUNTRY: 'Kenya' }, /two letters/],
  ])('refuse %s', (_, changes, cure) => {
    expect(problems({}, changes)).toEqual([expect.stringMatching(cure)]);
  });

  it.each<[string, PaymentsOptions, RegExp]>([
    ['an account name with spaces', { account: 'my shop' }, /account "my shop" must be/],
    ['a misspelt option', { tilNumber: '514459' } as object, /tilNumber is no setting: remove it/],
    ['a negative time', { http: { createTimeoutMs: -1 } }, /http.createTimeoutMs/],
    [
      'a setting that is gone',
      { http: { environmentProxy: true } as object },
      /http.environmentProxy is no setting: remove it/,
    ],
    [
      'a proxy that is none',
      { http: { proxy: 'proxy.example:3128' } },
      /^http\.proxy must be the address of a proxy such as http:/,
    ],
    [
      'a misspelt certificate',
      { http: { tls: { certificate: '' } as object } },
      /^http\.tls\.certificate is no setting: remove it/,
    ],
    ['a time that is no number', { sending: { sendBeforeMs: Number.NaN } }, /sending.sendBeforeMs/],
    ['an empty schedule', { reconciliation: { scheduleMs: [] } }, /reconciliation.scheduleMs/],
    ['an empty client id', { clientId: ' ' }, /^clientId is empty: write a text, or remove it/],
    [
      'a number for a till',
      { tillNumber: 514459 as never },
      /^tillNumber must be a text, not a number: write '514459' in quotes/,
    ],
    [
      'numbers in the list of tills',
      { tills: [514459] as never },
      /^tills must have texts only, not a number: write '514459' in quotes/,
    ],
    [
      'a text instead of a list of API keys',
      { apiKeys: 'a-key' as never },
      /^apiKeys must be a list of texts, not a string/,
    ],
    [
      'a text for a duration',
      { http: { readTimeoutMs: '5000' as never } },
      /http.readTimeoutMs must be a number of 0 or more/,
    ],
    [
      'a number for a schedule',
      { reconciliation: { scheduleMs: 5 as never } },
      /reconciliation.scheduleMs must be a list of numbers/,
    ],
    [
      'deleting keys before personal data is redacted',
      { retention: { dedupeForMs: 1 } },
      /dedupeForMs must not be shorter/,
    ],
  ])('refuse %s', (_, options, cure) => {
    expect(problems(options)).toEqual(expect.arrayContaining([expect.stringMatching(cure)]));
  });

  it.each([
    'http://localhost:4010',
    'http://127.0.0.1:4010',
    'http://127.9.9.9',
    'http://[::1]:4010',
  ])('allow plain http: on this machine, as in %s', (url) => {
    expect(problems({}, { PAYMENTS_BASE_URL: url, PAYMENTS_PUBLIC_URL: url })).toEqual([]);
  });

  it.each<[PaymentsOptions]>([
    [{ tillNumber: 112233 as never }],
    [{ tillNumber: 112233 as never, tills: ['514459'] }],
    [{ tillNumber: 'till', tills: ['514459'] }],
    [{ tills: [112233] as never, tillNumber: '514459' }],
    [{ tillAliases: { K1: 2 } as never }],
    [{ baseUrl: 'platform' }],
    [{ tokenBaseUrl: 'http://tokens.example' }],
    [{ publicUrl: 'shop' }],
    [{ clientId: 1 as never }],
    [{ clientSecret: {} as never }],
    [{ apiKeys: [1] as never }],
    [{ apiKeys: ['short'] }],
    [{ urlSecrets: ['short'] }],
    [{ channel: 1 as never }],
    [{ userAgent: 'shop' }],
    [{ defaultCountry: 'Kenya' as never }],
    [{ apiVersions: { polling: 'v3' as never } }],
  ])('that are wrong options have one error, under the name of the option: %j', (options) => {
    expect(problems(options)).toEqual([
      expect.stringMatching(new RegExp(`^${Object.keys(options)[0]} `)),
    ]);
  });

  describe.each(Object.entries(VARIABLES))('such as %s', (option, variable) => {
    it.each([
      ['"0123456789abcdef0123456789abcdef"', /has quotes around it.*Docker.*: remove the quotes$/],
      ["'0123456789abcdef0123456789abcdef'", /has quotes around it/],
      ['`0123456789abcdef0123456789abcdef`', /has quotes around it/],
      [
        'https://0123456789abcdef.${SECRET_OF_THE_SHOP:-none}/',
        /has a \$\{\.\.\.\} .*nothing.*: write the value itself/,
      ],
      ['$SECRET_OF_THE_SHOP', /has a \$NAME /],
      ['$(0123456789abcdef)', /has a \$\(\.\.\.\) /],
      ['{{ .secret.0123456789abcdef }}', /has a \{\{\.\.\.\}\} /],
    ])('are refused when a file is not read as it was meant: %s', (value, cause) => {
      const [problem, ...others] = problems({}, { [variable]: value });
      expect(others).toEqual([]);
      expect(problem).toMatch(new RegExp(`^${variable} ${cause.source}`));
      expect(problem).not.toMatch(/0123456789abcdef|OF_THE_SHOP/);
      if (['apiVersions', 'tillAliases'].includes(option)) return;
      const isList = ['apiKeys', 'urlSecrets', 'tills'].includes(option);
      expect(problems({ [option]: isList ? [value] : value })).toEqual([
        expect.stringMatching(new RegExp(`^${option} ${cause.source}`)),
      ]);
    });
  });

  it.each([
    ['one key in quotes', '"the-first-api-key", the-second-api-key'],
    ['two keys in quotes', 'the-first-api-key,"the-second-api-key","the-third-api-key"'],
    ['a placeholder as the second key', 'the-first-api-key,${SECOND_KEY}'],
  ])('are refused when a list has %s', (_, keys) => {
    expect(problems({}, { PAYMENTS_API_KEYS: keys })).toEqual([
      expect.stringMatching(/^PAYMENTS_API_KEYS has (quotes|a \$\{)/),
    ]);
  });

  it.each(['a"b\'c`d', '"begins', "ends'", '$', 'US$5', 'a$b', '{a}', '$(a', '${a b}'])(
    'may have signs that are no mistake of a file: %s',
    (sign) => {
      const secret = `${sign} and more than enough characters ${sign}x`;
      expect(resolveSettings({}, read({ PAYMENTS_CLIENT_SECRET: secret })).clientSecret).toBe(
        secret,
      );
    },
  );

  it('are refused when the path of the routes has quotes', () => {
    expect(() => resolveSettings({}, read(), '"payments"')).toThrow(
      /the path of the routes \(PAYMENTS_PATH\) has quotes around it/,
    );
  });

  it('cause an error that says which variable may be misspelt', () => {
    const read = (): undefined => undefined;
    expect(() => resolveSettings({}, read, 'payments', ['PAYMENTS_BASEURL'])).toThrow(
      /PAYMENTS_BASE_URL is missing.*PAYMENTS_BASEURL is not read: did you mean PAYMENTS_BASE_URL\?/s,
    );
  });

  it('cause errors without secrets', () => {
    expect(problems({ urlSecrets: ['not-so-secret'], apiKeys: [''] }).join()).not.toContain(
      'not-so-secret',
    );
  });

  it.each<[string, PaymentsOptions]>([
    ['one setting', { http: { readTimeoutMs: -1 } }],
    ['two settings that do not fit', { retention: { dedupeForMs: 1 } }],
  ])('of a named account name the account in an error about %s', (_, wrong) => {
    const options = {
      account: 'shop',
      baseUrl: 'https://platform.example',
      clientId: 'id',
      clientSecret: 'secret',
      publicUrl: 'https://shop.example',
      apiKeys: ['an-api-key-of-the-portal'],
    };
    expect(problems({ ...options, ...wrong })).toEqual([expect.stringContaining('account "shop"')]);
  });

  it('does not repeat a secret that is given as a number', () => {
    expect(() => resolveSettings({ clientSecret: 12345678 as never }, () => undefined)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('12345678') }),
    );
  });
});

describe('settings of an account that is added while the application runs', () => {
  const own = {
    account: 'shop',
    clientId: 'own-id',
    clientSecret: 'own-secret',
    apiKeys: ['an-api-key-of-its-own'],
  };
  const added = (changes: Record<string, string> = {}) =>
    resolveAddedSettings(own, read(changes), 'payments/accounts/shop');

  it('may come with more columns of a row, which mean nothing here', () => {
    const row = { ...own, createdAt: new Date(), rotatedBy: 'Jane' };
    expect(resolveAddedSettings(row, read(), 'p')).toEqual(resolveAddedSettings(own, read(), 'p'));
  });

  it('have from the environment what all accounts have in common', () => {
    expect(
      added({
        PAYMENTS_TOKEN_BASE_URL: 'https://tokens.example',
        PAYMENTS_API_VERSIONS: 'polling=v1',
        PAYMENTS_CHANNEL: 'Another channel',
        PAYMENTS_USER_AGENT: 'my-shop/1.4.0',
        PAYMENTS_DEFAULT_COUNTRY: 'UG',
      }),
    ).toMatchObject({
      baseUrl: 'https://platform.example',
      publicUrl: 'https://shop.example/base',
      tokenBaseUrl: 'https://tokens.example',
      apiVersions: { polling: 'v1' },
      channel: 'Another channel',
      userAgent: 'my-shop/1.4.0',
      defaultCountry: 'UG',
    });
  });

  it('have nothing from the environment that belongs to one merchant', () => {
    expect(
      added({
        PAYMENTS_URL_SECRETS: 'x'.repeat(32),
        PAYMENTS_TILL_NUMBER: '514459',
        PAYMENTS_TILLS: '514459',
        PAYMENTS_TILL_ALIASES: 'K000123=514459',
      }),
    ).toMatchObject({
      clientId: 'own-id',
      clientSecret: 'own-secret',
      apiKeys: ['an-api-key-of-its-own'],
      urlSecrets: [],
      tillNumber: null,
      tills: [],
      tillAliases: {},
    });
  });
});
