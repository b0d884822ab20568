import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresStore } from '@tillkit/postgres';
import { freshDatabase, PATIENT, type TestDatabase } from '../../contracts/test-database.js';
import { shownDatabase, tillkit, tillkitProcess, type Ran } from '../../support/command-line.js';

const ALL = ['pause', '--all', '--by', 'jane', '--note', 'a test'];
const ONE = ['redact', '+254700000001', '--by', 'jane', '--note', 'a test'];

describe('A command that changes something', () => {
  let database: TestDatabase;
  let store: PostgresStore;
  let environment: Record<string, string>;
  let questions: string[];

  beforeAll(async () => {
    database = await freshDatabase();
    store = new PostgresStore({ ...PATIENT, connectionString: database.url });
    await store.accounts.noteStarts(['shop-1']);
    environment = { PAYMENTS_DATABASE_URL: database.url };
  });
  beforeEach(() => void (questions = []));
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const answering = (answer: string, ...args: string[]): Promise<Ran> =>
    tillkit(args, {
      environment,
      ask: (question) => Promise.resolve((questions.push(question), answer)),
    });

  it('names the database and the account without the password, and asks', async () => {
    expect(await answering('yes', ...ONE)).toMatchObject({ code: 0, complaint: '' });
    expect(await answering('Yes ', 'resume', ...ALL.slice(1))).toMatchObject({ code: 1 });
    const where = `in ${shownDatabase(database)}`;
    expect(questions).toEqual([
      `This changes account "shop-1" ${where}.\nType yes to go on: `,
      `This changes all accounts ${where}.\nType yes to go on: `,
    ]);
  });

  it.each(['', 'y', 'no', 'yes, please'])(
    'changes nothing after the answer "%s"',
    async (answer) => {
      expect(await answering(answer, ...ALL)).toEqual({
        code: 1,
        out: '',
        complaint: 'Nothing was changed, because the answer was not yes.\n',
      });
      expect(await store.pauses.all()).toEqual([]);
    },
  );

  it('is refused without a terminal, and the error names the target and the cure', async () => {
    expect(await tillkitProcess(ALL, { environment, input: 'yes\n' })).toEqual({
      code: 2,
      out: '',
      complaint:
        `this changes all accounts in ${shownDatabase(database)}, and without a terminal nobody can be asked: ` +
        'add --yes if that is what you want.\n',
    });
    expect(await store.pauses.all()).toEqual([]);
  });

  it('asks nothing with --yes, and still says what it changes', async () => {
    const ran = await tillkit([...ONE, '--yes'], { environment, ask: null });
    expect(ran).toMatchObject({
      code: 0,
      complaint: `This changes account "shop-1" in ${shownDatabase(database)}.\n`,
    });
    const json = await tillkit([...ONE, '--yes', '--json'], { environment, ask: null });
    expect(json).toMatchObject({ code: 0, complaint: '' });
  });

  it('asks nothing when it only prints', async () => {
    expect(await tillkit(['migrate', '--print'], { environment, ask: null })).toMatchObject({
      code: 0,
    });
  });

  it('names the platform when that is what it changes', async () => {
    const url = {
      PAYMENTS_BASE_URL: 'https://platform.example',
      PAYMENTS_PUBLIC_URL: 'https://a.example',
    };
    const secrets = {
      PAYMENTS_CLIENT_ID: 'id',
      PAYMENTS_CLIENT_SECRET: 'a-client-secret-of-the-portal',
      PAYMENTS_API_KEYS: 'an-api-key-of-the-portal',
    };
    expect(
      await tillkit(['subscriptions', 'apply', 'none.json'], {
        environment: { ...url, ...secrets },
        ask: null,
      }),
    ).toMatchObject({
      code: 2,
      complaint: expect.stringMatching(
        /^this changes webhook subscriptions of account "default" at https:\/\/platform\.example, and without/,
      ),
    });
  });
});
