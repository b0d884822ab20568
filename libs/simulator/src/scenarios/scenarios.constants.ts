/** The end of a prompt, which the customer, the phone or the platform decides. */
export type ScenarioOutcome =
  | 'approves'
  | 'cancels'
  | 'mistypes'
  | 'lacks-funds'
  | 'ignores'
  | 'unreachable'
  | 'busy'
  | 'over-limit'
  | 'platform-fails'
  | 'person-decides';

/** A prompt on a phone whose number ends with these digits goes this way. */
export interface ScenarioDescription {
  /** The last two digits of the phone numbers with this scenario. */
  readonly digits: string;
  readonly outcome: ScenarioOutcome;
  readonly summary: string;
  /** Changes the delivery of the callback. @default it is delivered once, at once */
  readonly callback?: 'never' | 'twice' | 'before-answer' | 'late' | 'after-webhook';
  /** True when the webhooks of the transaction are not sent. */
  readonly silentWebhooks?: boolean;
  /** True when the customer answers after `timings.slowAnswer`. */
  readonly slow?: boolean;
  /** Changes the money again after the final status. */
  readonly afterwards?: 'reversed' | 'paid-after-failure';
}

/**
 * Decides what happens to a payment, by the last two digits of the phone number.
 * @publicApi
 */
export const SCENARIOS = {
  succeeds: { digits: '01', outcome: 'approves', summary: 'The customer enters the PIN: Success.' },
  cancelled: { digits: '02', outcome: 'cancels', summary: 'The customer cancels: Failed.' },
  wrong_pin: {
    digits: '03',
    outcome: 'mistypes',
    summary: 'The customer enters a wrong PIN: Failed.',
  },
  insufficient_funds: {
    digits: '04',
    outcome: 'lacks-funds',
    summary: 'The balance is too low: Failed.',
  },
  no_answer: {
    digits: '05',
    outcome: 'ignores',
    summary: 'Nobody answers; the prompt expires after a minute: Failed.',
  },
  slow: {
    digits: '06',
    outcome: 'approves',
    slow: true,
    summary: 'The customer takes 45 seconds: Success.',
  },
  phone_off: {
    digits: '07',
    outcome: 'unreachable',
    summary: 'The phone is off or out of reach: Failed.',
  },
  busy: {
    digits: '08',
    outcome: 'busy',
    summary: 'The phone is busy with another prompt: Failed.',
  },
  limit_exceeded: {
    digits: '09',
    outcome: 'over-limit',
    summary: 'The amount exceeds a limit: Failed.',
  },
  callback_lost: {
    digits: '10',
    outcome: 'approves',
    callback: 'never',
    summary: 'Success. The callback is never sent; webhooks are.',
  },
  callback_twice: {
    digits: '11',
    outcome: 'approves',
    callback: 'twice',
    summary: 'Success. The callback is delivered twice.',
  },
  callback_first: {
    digits: '12',
    outcome: 'approves',
    callback: 'before-answer',
    summary: 'Success. Callback and webhooks arrive before the answer to the create.',
  },
  reversed: {
    digits: '13',
    outcome: 'approves',
    afterwards: 'reversed',
    summary: 'Success. The payment is reversed 5 seconds later.',
  },
  handset: {
    digits: '14',
    outcome: 'person-decides',
    summary: 'A person answers on the handset; the prompt expires after a minute.',
  },
  silent: {
    digits: '15',
    outcome: 'approves',
    callback: 'never',
    silentWebhooks: true,
    summary: 'Success. Neither callback nor webhook is ever sent.',
  },
  callback_late: {
    digits: '16',
    outcome: 'approves',
    callback: 'late',
    summary: 'Success. The callback arrives an hour late.',
  },
  webhook_first: {
    digits: '17',
    outcome: 'approves',
    callback: 'after-webhook',
    summary: 'Success. The webhooks arrive 5 seconds before the callback.',
  },
  paid_after_failure: {
    digits: '18',
    outcome: 'ignores',
    afterwards: 'paid-after-failure',
    summary: 'Failed (not answered). Then the money moves after all; only the webhook reports it.',
  },
  platform_error: {
    digits: '19',
    outcome: 'platform-fails',
    summary: 'The platform fails to send the prompt: Failed.',
  },
} as const satisfies Record<string, ScenarioDescription>;

/** A scenario of a payment, which the last digits of the phone number select: a key of `SCENARIOS`. */
export type ScenarioName = keyof typeof SCENARIOS;

export function isScenarioName(name: string): name is ScenarioName {
  return Object.hasOwn(SCENARIOS, name);
}

/** The platform's error text for each failure. */
export const FAILURE_TEXTS = {
  cancels: 'Request cancelled by user',
  mistypes: 'The initiator information is invalid.',
  'lacks-funds': 'The balance is insufficient for the transaction',
  ignores: 'No response from user.',
  unreachable: 'DS timeout user cannot be reached',
  busy: 'Unable to lock subscriber, a transaction is already in process for the current subscriber',
  'over-limit': 'Declined due to limit rule: greater than the maximum transaction amount.',
  'platform-fails': 'An error occurred while sending a push request',
} as const satisfies Partial<Record<ScenarioOutcome, string>>;

/** An outcome without money. */
export type FailureOutcome = keyof typeof FAILURE_TEXTS;
