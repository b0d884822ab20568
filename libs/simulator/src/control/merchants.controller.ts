import { MOMENT } from '../clock/clock.service.js';
import type { MerchantOptions } from '../merchants/merchant.options.js';
import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { AMOUNT } from '../values/amount.js';
import { requireNumber } from '../values/number-range.js';
import { requireShortText } from '../values/short-text.js';
import type { ControlInput } from './control.dto.js';
import type { ControlRoutes } from './control.controller.js';

/** Returns the routes of the merchants: other processes add them, read and change their credentials, and remove them. */
export function merchantControls({ merchants }: SimulatedPlatform): ControlRoutes {
  const change = (input: ControlInput, act: (merchant: SimulatedMerchant) => void) => {
    const merchant = merchants.get(input.param('name'));
    act(merchant);
    return credentialsOf(merchant);
  };
  return {
    'GET /merchants': () => merchants.list().map(summaryOf),
    'POST /merchants': (input) => credentialsOf(merchants.add(optionsOf(input))),
    'GET /merchants/:name': (input) => credentialsOf(merchants.get(input.param('name'))),
    'DELETE /merchants/:name': (input) => merchants.remove(input.param('name')),
    'POST /merchants/:name/client-secrets': (input) =>
      change(input, (merchant) => merchant.rotateSecret(input.optionalText('clientSecret'))),
    'DELETE /merchants/:name/client-secrets': (input) =>
      change(input, (merchant) => merchant.dropOldSecrets()),
    'POST /merchants/:name/api-key': (input) =>
      change(input, (merchant) =>
        merchant.rotateApiKey({
          ...input.optionalTexts('apiKey'),
          ...(input.has('at') && { at: input.number('at', MOMENT) }),
        }),
      ),
  };
}

function summaryOf({ name, clientId, tillNumbers }: SimulatedMerchant) {
  return { name, clientId, tillNumbers };
}

function credentialsOf(merchant: SimulatedMerchant) {
  const { clientSecret, clientSecrets, apiKey, nextApiKey } = merchant;
  return { ...summaryOf(merchant), clientSecret, clientSecrets, apiKey, nextApiKey };
}

/** @throws InvalidInputError that names the field */
function optionsOf(input: ControlInput): MerchantOptions {
  return {
    ...input.optionalTexts('clientId', 'clientSecret', 'apiKey'),
    name: input.text('name'),
    tillNumbers: input.texts('tillNumbers'),
    tillAliases: eachOf(input, 'tillAliases', requireShortText),
    openingBalances: eachOf(input, 'openingBalances', (field, value) =>
      requireNumber(field, value, { min: 0, max: AMOUNT.max }),
    ),
  };
}

function eachOf<Value>(
  input: ControlInput,
  name: string,
  read: (field: string, value: unknown) => Value,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(input.object(name)).map(([key, value]) => [key, read(`${name}.${key}`, value)]),
  );
}
