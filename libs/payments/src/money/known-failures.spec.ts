import { describe, expect, it } from '@jest/globals';
import {
  explainFailure,
  failureReason,
  KNOWN_FAILURES,
  knownFailureProblems,
  type FailureReason,
  type KnownFailure,
} from './known-failures.js';

const OWN: KnownFailure = {
  texts: ['Declined by the bank'],
  reason: 'rejected',
  retry: 'no',
  message: { en: 'Your bank declined it.', sw: 'Benki yako imekataa.' },
};

describe('the known failures', () => {
  it.each([
    [['Request cancelled by user'], 'cancelled'],
    [['The initiator information is invalid.'], 'wrong_pin'],
    [['The PIN entered is invalid or was not provided.'], 'wrong_pin'],
    [['The balance is insufficient for the transaction'], 'insufficient_funds'],
    [['DS timeout user cannot be reached'], 'timeout'],
    [['No response from user.'], 'timeout'],
    [['Transaction timed out'], 'timeout'],
    [['Declined due to limit rule'], 'limit'],
    [['Unable to lock subscriber, a transaction is already in process'], 'busy'],
    [['The user has another active USSD session.'], 'busy'],
    [['System busy'], 'busy'],
    [['Rate limit exceeded'], 'busy'],
    [['Error in processing the request'], 'unknown'],
    [['Maximum number of PIN attempts reached'], 'wrong_pin'],
    [['It could not be cancelled, because it is being completed'], 'unknown'],
    [['An error occurred while sending a push request'], 'unknown'],
    [['Something of tomorrow'], 'unknown'],
    [['No response', 'from user'], 'timeout'],
    [[], 'unknown'],
  ])('give the messages %j the reason %s', (errors, reason) => {
    expect(failureReason(errors)).toBe(reason);
  });

  it.each([
    ['cancelled', 'Request cancelled by user', 'at_once', /cancelled/],
    ['wrong_pin', 'Your PIN is locked', 'no', /unlock/],
    ['timeout', 'DS timeout user cannot be reached', 'later', /could not be reached/],
    ['timeout', 'No response from user.', 'at_once', /did not answer/],
    ['unknown', 'An error occurred while sending a push request', 'at_once', /could not be shown/],
  ] as const)('explain %s with the text "%s"', (reason, text, retry, message) => {
    const explanation = explainFailure({ reason, errors: [text] }, []);
    expect(explanation).toMatchObject({ reason, retry, text });
    expect(explanation.message.en).toMatch(message);
  });

  it('explain a reason whose text was redacted', () => {
    const { message, text } = explainFailure({ reason: 'busy', errors: [] }, []);
    expect(message.en).toMatch(/still in progress/);
    expect(text).toBeNull();
  });

  it('explain a payment that failed before the host knew its text', () => {
    const errors = ['DECLINED BY THE BANK, sorry'];
    expect(explainFailure({ reason: 'unknown', errors }, [OWN])).toMatchObject({
      reason: 'rejected',
      retry: 'no',
      message: OWN.message,
      text: errors[0],
    });
  });

  it('do not contradict the reason that is stored', () => {
    const errors = ['Declined by the bank'];
    expect(explainFailure({ reason: 'not_sent', errors }, [OWN]).reason).toBe('not_sent');
  });

  it('of the host come before ours', () => {
    const own = { ...OWN, texts: ['cancelled by the bank'] };
    expect(failureReason(['Request cancelled by the bank'], [own])).toBe('rejected');
  });

  it.each([
    ['limit', 'Would exceed Maximum Balance'],
    ['limit', 'The transaction would exceed the maximum account balance.'],
    ['limit', 'Daily balance limit reached'],
    ['limit', 'Declined: the balance would exceed what is allowed'],
    ['limit', 'Minimum amount is 10'],
    ['insufficient_funds', 'Your balance is below the minimum'],
    ['insufficient_funds', 'Insufficient funds'],
  ])('give the reason %s to "%s", because a balance may be too high or too low', (reason, text) => {
    expect(failureReason([text])).toBe(reason);
  });

  it.each([
    ['limit', 'The corporate limit of the day is reached', 'of ours', []],
    ['busy', 'The corporate limit is the rate limit', 'of ours', []],
    ['timeout', 'DS_TIMEOUT', 'of ours', []],
    ['timeout', 'RequestTimeout: UserUnreachable', 'of ours', []],
    ['cancelled', 'UserCancelled', 'of ours', []],
    ['cancelled', '(cancelled)', 'of ours', []],
    ['unknown', 'Request undeclined by the bank', OWN.texts.join(), [OWN]],
    ['rejected', 'Request:declined by the banks', OWN.texts.join(), [OWN]],
    ['unknown', 'Imekataliwa na bénki', 'nki', [{ ...OWN, texts: ['nki'] }]],
    ['rejected', 'Code A-17', '-17', [{ ...OWN, texts: ['-17'] }]],
    ['unknown', '17', '7', [{ ...OWN, texts: ['7'] }]],
    ['rejected', '7', '7', [{ ...OWN, texts: ['7'] }]],
  ])(
    'give the reason %s to "%s", because a text of a row (%s) begins where a word begins',
    (reason, text, _, own) => {
      expect(failureReason([text], own)).toBe(reason);
    },
  );

  it.each([
    'The request was not cancelled',
    'The transaction cannot be cancelled',
    'The transaction could not be canceled',
  ])('do not take %p for a cancellation', (text) => {
    expect(failureReason([text])).toBe('unknown');
  });

  it('give each of their own texts their own reason', () => {
    for (const { texts, reason } of KNOWN_FAILURES)
      for (const text of texts) expect([text, failureReason([text])]).toEqual([text, reason]);
  });

  it('have a message in both languages', () => {
    expect(knownFailureProblems(KNOWN_FAILURES)).toEqual([]);
  });

  it.each<FailureReason>([
    'cancelled',
    'timeout',
    'insufficient_funds',
    'wrong_pin',
    'limit',
    'busy',
    'rejected',
    'not_sent',
    'declined',
    'expired',
    'unknown',
  ])('have a meaning of the reason %s in both languages, whatever its text', (reason) => {
    const { message, ...rest } = explainFailure({ reason, errors: ['Something of tomorrow'] }, []);
    expect(rest).toMatchObject({ reason, retry: expect.stringMatching(/^(no|later|at_once)$/) });
    for (const text of [message.en, message.sw]) expect(text).toMatch(/^[A-Z].*\.$/);
    expect(message.en).not.toBe(message.sw);
  });

  it.each([
    ['no list', {}, /must be a list/],
    ['null as a row', [null], /\[0\]\.texts must be/],
    ['no text', [{ ...OWN, texts: [] }], /\[0\]\.texts must be/],
    ['an empty text', [{ ...OWN, texts: [' '] }], /\[0\]\.texts must be/],
    [
      'a reason that is ours',
      [OWN, { ...OWN, reason: 'not_sent' }],
      /\[1\]\.reason must be one of/,
    ],
    ['unknown advice', [{ ...OWN, retry: true }], /\[0\]\.retry must be one of/],
    ['no Swahili', [{ ...OWN, message: { en: 'No.' } }], /\[0\]\.message must have/],
  ])('of the host are refused with %s', (_, given, problem) => {
    expect(knownFailureProblems(given)).toEqual(
      expect.arrayContaining([expect.stringMatching(problem)]),
    );
  });
});
