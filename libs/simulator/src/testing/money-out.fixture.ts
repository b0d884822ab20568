import type { AccountName } from '../balances/account-name.js';
import type { Platform } from './platform.fixture.js';
import { idOf } from './platform-client.fixture.js';

export const SEND_MONEY_PATH = '/api/v2/send_money';

/** Returns a valid destination of `send_money`, with changes. */
export function wallet(changes: Record<string, unknown> = {}) {
  return {
    type: 'mobile_wallet',
    phone_number: '254700000001',
    network: 'Safaricom',
    amount: 100,
    description: 'Wages',
    ...changes,
  };
}

export const BANK_ACCOUNT = {
  type: 'bank_account',
  bank_branch_ref: '633aa26c-7b7c-4091-ae28-96c0687cf886',
  account_name: 'Jane Doe',
  account_number: '0100000001',
  amount: 200,
  description: 'Rent',
};

export const OTHER_TILL = { type: 'till', till_number: '800100', amount: 10.5, description: 'Ice' };

export const PAYBILL = {
  type: 'paybill',
  paybill_number: '888880',
  paybill_account_number: '30001',
  amount: 40,
  description: 'Power',
};

/** Returns the body of a valid `send_money`, with changes. */
export function sendMoney(
  platform: Pick<Platform, 'receiver'>,
  destinations: unknown,
  changes: Record<string, unknown> = {},
) {
  return {
    source_identifier: '514459',
    currency: 'KES',
    destinations,
    metadata: { run: '7' },
    _links: { callback_url: `${platform.receiver.url}/payouts` },
    ...changes,
  };
}

/** Sends money and waits until the platform is idle. @returns the id */
export async function send(
  platform: Platform,
  destinations: unknown,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const body = sendMoney(platform, destinations, changes);
  const answer = await platform.client.post(SEND_MONEY_PATH, body);
  if (answer.status !== 201) throw new Error(`Refused: ${JSON.stringify(answer.body)}`);
  await platform.simulator.idle();
  return idOf(answer);
}

/** Returns the balance of an account in cents. */
export function balanceOf({ simulator }: Platform, account: string): number {
  return simulator.balance(account as AccountName);
}
