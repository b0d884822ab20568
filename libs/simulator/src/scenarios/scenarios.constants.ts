/** What the customer or the network does with the prompt. */
export type ScenarioEnd =
  | 'approves'
  | 'cancels'
  | 'mistypes'
  | 'lacks-funds'
  | 'ignores'
  | 'unreachable'
  | 'busy'
  | 'over-limit'
  | 'breaks'
  | 'decides';

/** One row of the scenario table. */
export interface ScenarioDescription {
  /** The last two digits of the phone numbers that follow it. */
  readonly digits: string;
  readonly end: ScenarioEnd;
  readonly summary: string;
  /** What happens to the callback. @default it is delivered once */
  readonly callback?: 'never' | 'twice' | 'before-answer' | 'late' | 'after-webhook';
  /** Whether the webhooks of the transaction are not sent. */
  readonly silentWebhooks?: boolean;
  /** Whether the customer answers after `timings.slowAnswer`. */
  readonly slow?: boolean;
  /** What happens to the money afterwards. */
  readonly afterwards?: 'reversed' | 'paid-after-failure';
}

/**
 * What happens to a payment, by the last two digits of the phone number: README and CLI print this table.
 *
 * @publicApi
 */
export const SCENARIOS = {
  succeeds: { digits: '01', end: 'approves', summary: 'The customer enters the PIN: Success.' },
  cancelled: { digits: '02', end: 'cancels', summary: 'The customer cancels: Failed.' },
  wrong_pin: { digits: '03', end: 'mistypes', summary: 'The customer enters a wrong PIN: Failed.' },
  insufficient_funds: {
    digits: '04',
    end: 'lacks-funds',
    summary: 'The balance is too low: Failed.',
  },
  no_answer: {
    digits: '05',
    end: 'ignores',
    summary: 'The prompt rings out after about a minute: Failed.',
  },
  slow: {
    digits: '06',
    end: 'approves',
    slow: true,
    summary: 'The customer takes 45 seconds: Success.',
  },
  phone_off: {
    digits: '07',
    end: 'unreachable',
    summary: 'The phone is off or out of reach: Failed.',
  },
  busy: { digits: '08', end: 'busy', summary: 'The phone is busy with another prompt: Failed.' },
  limit_exceeded: {
    digits: '09',
    end: 'over-limit',
    summary: 'The amount exceeds a limit: Failed.',
  },
  callback_lost: {
    digits: '10',
    end: 'approves',
    callback: 'never',
    summary: 'Success, and the callback is lost (webhooks still come).',
  },
  callback_twice: {
    digits: '11',
    end: 'approves',
    callback: 'twice',
    summary: 'Success, and the callback comes twice.',
  },
  callback_first: {
    digits: '12',
    end: 'approves',
    callback: 'before-answer',
    summary: "Success; callback and webhooks come before the create's own answer.",
  },
  reversed: {
    digits: '13',
    end: 'approves',
    afterwards: 'reversed',
    summary: 'Success, reversed a little later.',
  },
  handset: {
    digits: '14',
    end: 'decides',
    summary: 'A person decides on the handset; rings out after about a minute.',
  },
  silent: {
    digits: '15',
    end: 'approves',
    callback: 'never',
    silentWebhooks: true,
    summary: 'Success, and neither callback nor webhook ever comes.',
  },
  callback_late: {
    digits: '16',
    end: 'approves',
    callback: 'late',
    summary: 'Success; the callback comes an hour late.',
  },
  webhook_first: {
    digits: '17',
    end: 'approves',
    callback: 'after-webhook',
    summary: 'Success; the webhooks come a few seconds before the callback.',
  },
  paid_after_failure: {
    digits: '18',
    end: 'ignores',
    afterwards: 'paid-after-failure',
    summary:
      'Failed as not answered; then the money moves after all, and only the webhook says so.',
  },
  platform_error: {
    digits: '19',
    end: 'breaks',
    summary: 'The platform fails to send the prompt: Failed.',
  },
} as const satisfies Record<string, ScenarioDescription>;

/** The name of a scenario. */
export type ScenarioName = keyof typeof SCENARIOS;

export function isScenarioName(name: string): name is ScenarioName {
  return Object.hasOwn(SCENARIOS, name);
}

/** What the platform says of each end without money: text is all it gives. */
export const FAILURE_TEXTS = {
  cancels: 'Request cancelled by user',
  mistypes: 'The initiator information is invalid.',
  'lacks-funds': 'The balance is insufficient for the transaction',
  ignores: 'No response from user.',
  unreachable: 'DS timeout user cannot be reached',
  busy: 'Unable to lock subscriber, a transaction is already in process for the current subscriber',
  'over-limit': 'Declined due to limit rule: greater than the maximum transaction amount.',
  breaks: 'An error occurred while sending a push request',
} as const satisfies Partial<Record<ScenarioEnd, string>>;

/** An end without money. */
export type FailureEnd = keyof typeof FAILURE_TEXTS;
