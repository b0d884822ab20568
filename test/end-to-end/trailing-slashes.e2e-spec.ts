import { FastifyAdapter } from '@nestjs/platform-fastify';
import { afterEach, expect, it } from '@jest/globals';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';

const KEY = 'an-api-key';
let merchant: Merchant;
afterEach(() => merchant.close());

it.each([
  ['as it is', {}],
  ['that ignores slashes', { ignoreTrailingSlash: true }],
  ['that ignores slashes by its router', { routerOptions: { ignoreTrailingSlash: true } }],
])('A delivery whose URL ends with a slash is accepted by Fastify %s', async (_, options) => {
  merchant = await Merchant.open({
    payments: { apiKeys: [KEY] },
    create: (module) => module.createNestApplication(new FastifyAdapter(options as object)),
  });
  for (const url of [merchant.webhookUrl, `${merchant.webhookUrl}/`])
    expect(await deliverSigned(url, webhookBody(), KEY)).toMatchObject({ status: 200 });
});
