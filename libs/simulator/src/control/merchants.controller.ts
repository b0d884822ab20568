import { MOMENT } from '../clock/clock.service.js';
import type { MerchantOptions } from '../merchants/merchant.options.js';
import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { AMOUNT } from '../values/amount.js';
import { requireNumber } from '../values/number-range.js';
import { requireShortText } from '../values/short-text.js';
import type { ControlInput } from './control.dto.js';
import type { ControlRoute } from './control.controller.js';

/** Routes of the merchants: other processes add them, read and change their credentials, and remove them. */
export function merchantControls(simulator: SimulatedPlatform): ControlRoute[] {
  const { merchants } = simulator;
  const named = (input: ControlInput) => merchants.get(input.param('name'));
  return [
    { method: 'GET', path: '/merchants', handle: () => merchants.list().map(summaryOf) },
    {
      method: 'POST',
      path: '/merchants',
      handle: (input) => credentialsOf(merchants.add(optionsOf(input))),
    },
    { method: 'GET', path: '/merchants/:name', handle: (input) => credentialsOf(named(input)) },
    {
      method: 'DELETE',
      path: '/merchants/:name',
      handle: (input) => merchants.remove(input.param('name')),
    },
    {
      method: 'POST',
      path: '/merchants/:name/client-secrets',
      handle: (input) => {
        const merchant = named(input);
        merchant.rotateSecret(input.optionalText('clientSecret'));
        return credentialsOf(merchant);
      },
    },
    {
      method: 'DELETE',
      path: '/merchants/:name/client-secrets',
      handle: (input) => {
        const merchant = named(input);
        merchant.dropOldSecrets();
        return credentialsOf(merchant);
      },
    },
    {
      method: 'POST',
      path: '/merchants/:name/api-key',
      handle: (input) => {
        const merchant = named(input);
        const [apiKey, at] = [input.optionalText('apiKey'), input.optionalNumber('at', MOMENT)];
        merchant.rotateApiKey({
          ...(apiKey !== undefined && { apiKey }),
          ...(at !== undefined && { at }),
        });
        return credentialsOf(merchant);
      },
    },
  ];
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
  const optional = {
    clientId: input.optionalText('clientId'),
    clientSecret: input.optionalText('clientSecret'),
    apiKey: input.optionalText('apiKey'),
  };
  return {
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
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
