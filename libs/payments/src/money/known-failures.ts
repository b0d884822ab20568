/**
 * Says why an operation failed. `timeout` is the platform's: an operation never fails because of our own timeout. `rejected`: the platform
 * refused the create. `not_sent`: we did not send it, and no money moves. `declined`: a person did not approve it, and it was not sent.
 * `expired`: nobody paid a payment link in its time. `unknown`: we do not know the message.
 * @publicApi
 */
export type FailureReason =
  | 'cancelled'
  | 'timeout'
  | 'insufficient_funds'
  | 'wrong_pin'
  | 'limit'
  | 'busy'
  | 'rejected'
  | 'not_sent'
  | 'declined'
  | 'expired'
  | 'unknown';

/**
 * Says whether it makes sense to ask for the same payment again: `at_once`; `later`, when the customer has done something about it or some
 * minutes have passed; `no`.
 * @publicApi
 */
export type RetryAdvice = 'at_once' | 'later' | 'no';

/** A message for the customer. @publicApi */
export interface CustomerMessage {
  /** The message in English. */
  readonly en: string;
  /** The message in Swahili. */
  readonly sw: string;
}

/** A text by which the platform says why it failed, and what it means. @publicApi */
export interface KnownFailure {
  /**
   * Parts of the platform's text, in any case. One of them is enough. Each must begin where a word or a capital of `UserCancelled` begins, and may end anywhere: `cancel` is part
   * of "Cancelled by user", and `rate limit` is not part of "corporate limit".
   */
  readonly texts: readonly string[];
  readonly reason: FailureReason;
  readonly retry: RetryAdvice;
  readonly message: CustomerMessage;
}

/** Says why a payment failed, and what the customer can do. @publicApi */
export interface FailureExplanation extends Omit<KnownFailure, 'texts'> {
  /** The platform's text, unchanged; null when there is none, or when retention has redacted it. */
  readonly text: string | null;
}

type Meaning = Omit<KnownFailure, 'texts'>;

/** The meaning of each reason when the text says no more. */
const MEANINGS: Readonly<Record<FailureReason, Meaning>> = {
  cancelled: {
    reason: 'cancelled',
    retry: 'at_once',
    message: {
      en: 'You cancelled the payment. You can try again.',
      sw: 'Umeghairi malipo. Unaweza kujaribu tena.',
    },
  },
  insufficient_funds: {
    reason: 'insufficient_funds',
    retry: 'later',
    message: {
      en: 'You do not have enough money in your account. Top up and try again.',
      sw: 'Huna salio la kutosha kwenye akaunti yako. Ongeza salio kisha ujaribu tena.',
    },
  },
  wrong_pin: {
    reason: 'wrong_pin',
    retry: 'at_once',
    message: {
      en: 'The PIN was wrong. Try again with the right PIN.',
      sw: 'PIN uliyoingiza si sahihi. Jaribu tena kwa PIN sahihi.',
    },
  },
  limit: {
    reason: 'limit',
    retry: 'no',
    message: {
      en: 'The amount is outside the limits of your account. Pay another amount, or another way.',
      sw: 'Kiasi hiki kiko nje ya kikomo cha akaunti yako. Lipa kiasi kingine au tumia njia nyingine.',
    },
  },
  busy: {
    reason: 'busy',
    retry: 'later',
    message: {
      en: 'Another transaction is still in progress. Wait a few minutes and try again.',
      sw: 'Muamala mwingine bado unaendelea. Subiri dakika chache kisha ujaribu tena.',
    },
  },
  timeout: {
    reason: 'timeout',
    retry: 'at_once',
    message: {
      en: 'You did not answer the request on your phone in time. You can try again.',
      sw: 'Hukujibu ombi kwenye simu yako kwa wakati. Unaweza kujaribu tena.',
    },
  },
  rejected: {
    reason: 'rejected',
    retry: 'no',
    message: {
      en: 'The payment was not accepted. Check the phone number, or pay another way.',
      sw: 'Ombi la malipo halikukubaliwa. Angalia nambari ya simu au lipa kwa njia nyingine.',
    },
  },
  not_sent: {
    reason: 'not_sent',
    retry: 'at_once',
    message: {
      en: 'The request did not reach your phone. You can try again.',
      sw: 'Ombi la malipo halikufika kwenye simu yako. Unaweza kujaribu tena.',
    },
  },
  declined: {
    reason: 'declined',
    retry: 'no',
    message: {
      en: 'The payment was not approved.',
      sw: 'Malipo hayakuidhinishwa.',
    },
  },
  expired: {
    reason: 'expired',
    retry: 'no',
    message: {
      en: 'The payment link has expired. Ask for a new one.',
      sw: 'Muda wa kiungo cha malipo umeisha. Omba kiungo kipya.',
    },
  },
  unknown: {
    reason: 'unknown',
    retry: 'at_once',
    message: {
      en: 'The payment failed. Try again, or pay another way.',
      sw: 'Malipo hayakufanikiwa. Jaribu tena au lipa kwa njia nyingine.',
    },
  },
};

/**
 * The platform reports a failure as text only. These are the texts that we know. The first row of which a text is part of the platform's
 * counts.
 * @see docs/failures.md
 */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    texts: [
      'not be cancel',
      'not cancel',
      'cannot be cancel',
      'cannot cancel',
      'unable to cancel',
      'failed to cancel',
    ],
    reason: 'unknown',
    retry: 'later',
    message: {
      en: 'The payment failed. Wait a few minutes before you try again.',
      sw: 'Malipo hayakufanikiwa. Subiri dakika chache kabla ya kujaribu tena.',
    },
  },
  {
    texts: [
      'cancel',
      'rejected by user',
      'rejected by the user',
      'rejected by customer',
      'rejected by the customer',
      'declined by user',
      'declined by the user',
      'declined by customer',
      'declined by the customer',
    ],
    ...MEANINGS.cancelled,
  },
  // These texts name a balance, but nobody is short of money: an account would have too much of it.
  {
    texts: ['maximum balance', 'maximum account balance', 'balance limit', 'balance would exceed'],
    ...MEANINGS.limit,
  },
  // The merchant lacks a right, and the customer no money.
  {
    texts: ['insufficient privilege', 'insufficient permission', 'insufficient right'],
    ...MEANINGS.rejected,
  },
  { texts: ['insufficient', 'not enough', 'balance'], ...MEANINGS.insufficient_funds },
  {
    texts: ['pin is locked', 'pin is blocked', 'locked pin', 'pin attempts', 'pin retries'],
    reason: 'wrong_pin',
    retry: 'no',
    message: {
      en: 'Your PIN is locked. Ask your mobile-money provider to unlock it.',
      sw: 'PIN yako imefungwa. Wasiliana na mtoa huduma wako ili ifunguliwe.',
    },
  },
  {
    texts: ['pin has expired', 'pin is expired', 'pin expired', 'expired pin'],
    reason: 'wrong_pin',
    retry: 'later',
    message: {
      en: 'Your PIN has expired. Change it and try again.',
      sw: 'Muda wa PIN yako umeisha. Ibadilishe kisha ujaribu tena.',
    },
  },
  {
    texts: [
      'initiator information',
      'wrong pin',
      'invalid pin',
      'incorrect pin',
      'pin entered',
      'pin not correct',
      'pin is not correct',
      'pin is wrong',
      'pin is incorrect',
      'pin is invalid',
    ],
    ...MEANINGS.wrong_pin,
  },
  {
    texts: ['busy', 'traffic blocking', 'rate limit', 'too many requests'],
    reason: 'busy',
    retry: 'later',
    message: {
      en: 'The mobile-money service is busy. Wait a few minutes and try again.',
      sw: 'Huduma ya pesa ina shughuli nyingi kwa sasa. Subiri dakika chache kisha ujaribu tena.',
    },
  },
  { texts: ['limit', 'exceed', 'maximum', 'minimum'], ...MEANINGS.limit },
  {
    texts: [
      'unable to lock',
      'in progress',
      'already in process',
      'is in process',
      'another transaction',
      'ussd session',
    ],
    ...MEANINGS.busy,
  },
  {
    texts: ['unreachable', 'cannot be reached', 'could not be reached'],
    reason: 'timeout',
    retry: 'later',
    message: {
      en: 'Your phone could not be reached. Check that it is on and has signal, then try again.',
      sw: 'Simu yako haikupatikana. Hakikisha imewashwa na ina mtandao, kisha ujaribu tena.',
    },
  },
  {
    texts: ['timeout', 'time out', 'time-out', 'timed out', 'timed-out', 'no response', 'expired'],
    ...MEANINGS.timeout,
  },
  {
    texts: ['sending a push request', 'sending push'],
    reason: 'unknown',
    retry: 'at_once',
    message: {
      en: 'The request could not be shown on your phone. You can try again.',
      sw: 'Ombi halikuweza kuonyeshwa kwenye simu yako. Unaweza kujaribu tena.',
    },
  },
  { texts: ['rejected', 'declined'], ...MEANINGS.rejected },
];

/** @param own the failures that the host knows; they come before ours */
export function failureReason(
  errors: readonly string[],
  own: readonly KnownFailure[] = [],
): FailureReason {
  return knownFailure(errors, own)?.reason ?? 'unknown';
}

export function explainFailure(
  { reason, errors }: { reason: FailureReason; errors: readonly string[] },
  own: readonly KnownFailure[],
): FailureExplanation {
  const failure = knownFailure(errors, own);
  // The host may have added the text after the payment failed.
  const says = failure && (failure.reason === reason || reason === 'unknown') ? failure : null;
  const { retry, message } = says ?? MEANINGS[reason];
  return {
    reason: says?.reason ?? reason,
    retry,
    message,
    text: errors.length > 0 ? errors.join(' ') : null,
  };
}

/** The reasons that a text of the platform can have. The other reasons are ours. */
const REASONS_OF_TEXTS: readonly unknown[] = [
  'cancelled',
  'timeout',
  'insufficient_funds',
  'wrong_pin',
  'limit',
  'busy',
  'rejected',
  'unknown',
] satisfies FailureReason[];
const ADVICE: readonly unknown[] = ['at_once', 'later', 'no'] satisfies RetryAdvice[];

/** Says what is wrong with the rows of a host, each with its cure. */
export function knownFailureProblems(given: unknown): string[] {
  if (!Array.isArray(given))
    return ['must be a list of rows with texts, reason, retry and message'];
  return given.flatMap((row: unknown, index) => {
    const { texts, reason, retry, message } = (row ?? {}) as Partial<Record<string, unknown>>;
    const { en, sw } = (message ?? {}) as Partial<Record<string, unknown>>;
    const isList = Array.isArray(texts) && texts.length > 0 && texts.every(isFilled);
    return [
      isList || 'texts must be parts of what the platform says, such as ["declined by the bank"]',
      REASONS_OF_TEXTS.includes(reason) || `reason must be one of ${REASONS_OF_TEXTS.join(', ')}`,
      ADVICE.includes(retry) || `retry must be one of ${ADVICE.join(', ')}`,
      (isFilled(en) && isFilled(sw)) || 'message must have a text in English (en) and Swahili (sw)',
    ]
      .filter((problem) => problem !== true)
      .map((problem) => `[${index}].${problem}`);
  });
}

function isFilled(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

function knownFailure(
  errors: readonly string[],
  own: readonly KnownFailure[],
): KnownFailure | undefined {
  const said = errors.join(' ');
  return [...own, ...KNOWN_FAILURES].find(({ texts }) =>
    texts.some((text) => isPart(said, text.toLowerCase())),
  );
}

/** Two characters of one word. A capital after a small letter begins a word, as in RequestTimeout. */
const INSIDE_WORD = /^(?!\p{Ll}\p{Lu})[\p{L}\p{N}]{2}$/u;

/** True when a text is part of what was said, in any case, and begins where a word begins. */
function isPart(said: string, text: string): boolean {
  const lower = said.toLowerCase();
  for (let at = lower.indexOf(text); at !== -1; at = lower.indexOf(text, at + 1))
    if (!INSIDE_WORD.test(said.slice(Math.max(at - 1, 0), at + 1))) return true;
  return false;
}
