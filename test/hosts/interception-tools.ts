/** Tools of tests, and of hosts between them and us, that are not installed in the root: npm run test:hosts. */
import MockAdapter from 'axios-mock-adapter';
import axiosRetry from 'axios-retry';
import type { PaymentsHttpService } from '@tillkit/payments';
import type { Interception, InterceptionTool } from '../support/interception-tools.js';

const CLOCK = '/oauth/token/info';
const TOKEN = { access_token: 'a-token', token_type: 'bearer', expires_in: 3_600 };

const locationOf = (url: string): string => `${url}/a-platform-id`;

/** As much of nock as both versions have. */
type Nock = typeof import('nock13');

function nockOf(tool: string, load: () => Promise<{ default: unknown }>): InterceptionTool {
  return {
    tool,
    answers: ['created', 'breaks'],
    async start(_, origin, create): Promise<Interception> {
      let creates = 0;
      const nock = (await load()).default as Nock;
      // The first import of nock activates it.
      if (!nock.isActive()) nock.activate();
      const scope = nock(origin, { allowUnmocked: true }).persist();
      scope.post('/oauth/token').reply(200, TOKEN);
      scope.get(CLOCK).reply(200);
      const post = scope.post(/^\/api\//);
      if (create === 'created')
        post.reply((path) => [201, '', { Location: locationOf(origin + path) }]);
      else post.replyWithError(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
      scope.on('request', ({ path }: { path: string }) => {
        if (path.startsWith('/api/')) creates += 1;
      });
      return {
        creates: () => creates,
        stop: () => {
          nock.cleanAll();
          nock.restore();
        },
      };
    },
  };
}

const MSW: InterceptionTool = {
  tool: 'msw 2',
  answers: ['created', 'breaks'],
  async start(_, origin, create): Promise<Interception> {
    const { http, HttpResponse } = await import('msw');
    const { setupServer } = await import('msw/node');
    let creates = 0;
    const server = setupServer(
      http.post(`${origin}/oauth/token`, () => HttpResponse.json(TOKEN)),
      http.get(origin + CLOCK, () => new HttpResponse()),
      http.post(`${origin}/api/*`, ({ request }) => {
        creates += 1;
        if (create !== 'created') return HttpResponse.error();
        return new HttpResponse(null, {
          status: 201,
          headers: { Location: locationOf(request.url) },
        });
      }),
    );
    server.listen({ onUnhandledRequest: 'bypass' });
    return { creates: () => creates, stop: () => server.close() };
  },
};

const AXIOS_MOCK_ADAPTER: InterceptionTool = {
  tool: 'axios-mock-adapter 2',
  answers: ['created', 'breaks', 'times out'],
  start({ axiosRef }, origin, create): Promise<Interception> {
    // Here it stands beside an axios of its own, whose types are not ours.
    const mock = new MockAdapter(axiosRef as never, { onNoMatch: 'passthrough' });
    const creates = new RegExp(`^${origin}/api/`);
    mock.onPost(`${origin}/oauth/token`).reply(200, TOKEN);
    mock.onGet(origin + CLOCK).reply(200);
    const post = mock.onPost(creates);
    if (create === 'breaks') post.networkError();
    else if (create === 'times out') post.timeout();
    else post.reply(({ url }) => [201, '', { Location: locationOf(`${url}`) }]);
    const seen = (): number => mock.history.post.filter(({ url }) => creates.test(`${url}`)).length;
    return Promise.resolve({ creates: seen, stop: () => mock.restore() });
  },
};

export const INTERCEPTION_TOOLS: readonly InterceptionTool[] = [
  nockOf('nock 13', () => import('nock13')),
  nockOf('nock 14', () => import('nock14')),
  MSW,
  AXIOS_MOCK_ADAPTER,
];

export function repeatEverything({ axiosRef }: PaymentsHttpService): void {
  axiosRetry(axiosRef as never, { retries: 3, retryCondition: () => true });
}
