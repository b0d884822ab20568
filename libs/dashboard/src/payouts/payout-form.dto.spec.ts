import { describe, expect, it } from '@jest/globals';
import { PaymentsValidationError } from '@tillkit/payments';
import { WORDS } from '../words/english.words.js';
import {
  fieldsOf,
  MOST_DESTINATIONS,
  payoutProblems,
  readPayoutForm,
  requestOf,
} from './payout-form.dto.js';

const TYPED = {
  currency: ' kes ',
  source: '',
  'd0.type': 'mobile_wallet',
  'd0.nickname': '',
  'd0.phoneNumber': ' 0700 000 001 ',
  'd0.network': 'Safaricom',
  'd0.amount': '10',
  'd0.description': 'wages',
  'd1.type': 'merchant_wallet',
  'd1.reference': 'ref',
  'd1.amount': '5',
};

describe('The form of a payout', () => {
  it('becomes a request without its empty fields', () => {
    const form = readPayoutForm(new URLSearchParams(TYPED));
    expect(requestOf(form, 'key', 'jane')).toEqual({
      idempotencyKey: 'key',
      requestedBy: 'jane',
      currency: 'KES',
      destinations: [
        {
          type: 'mobile_wallet',
          phoneNumber: '0700 000 001',
          network: 'Safaricom',
          amount: '10',
          description: 'wages',
        },
        { type: 'merchant_wallet', reference: 'ref', amount: '5' },
      ],
    });
    const source = { ...TYPED, source: 'till-1' };
    expect(requestOf(readPayoutForm(new URLSearchParams(source)), 'key', 'jane')).toMatchObject({
      sourceIdentifier: 'till-1',
    });
  });

  it('is repeated by its fields, so that the last page sends what the first one had', () => {
    const form = readPayoutForm(new URLSearchParams(TYPED));
    expect(readPayoutForm(new URLSearchParams(fieldsOf(form)))).toEqual(form);
  });

  it.each([
    ['an unknown type of destination', { ...TYPED, 'd0.type': 'cash' }, 0],
    ['a type with a name that every object has', { ...TYPED, 'd0.type': 'constructor' }, 0],
    ['a destination that is left out', { ...TYPED, 'd1.type': '', 'd2.type': 'till' }, 1],
    ['an empty form', {}, 0],
  ])('has no destination after %s', (_, fields, count) => {
    expect(readPayoutForm(new URLSearchParams(fields as never)).rows).toHaveLength(count);
  });

  it('has a limit of destinations', () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`d${index}.type`, 'till']),
    ) as Record<string, string>;
    expect(readPayoutForm(new URLSearchParams(many)).rows).toHaveLength(MOST_DESTINATIONS);
  });

  it('has each problem of the library beside its field, in words of its own', () => {
    const error = new PaymentsValidationError([
      { field: 'destinations.1.amount', problem: 'must be more' },
      { field: 'destinations.0.strange', problem: 'is strange' },
      { field: 'destinations', problem: 'is empty' },
      { field: 'currency', problem: 'is none' },
      { field: 'sourceIdentifier', problem: 'is unknown' },
    ]);
    const { problems } = WORDS.payoutForm;
    expect(payoutProblems(error)).toEqual({
      'd1.amount': problems.amount,
      'd0.strange': 'is strange',
      '': problems.destinations,
      currency: problems.currency,
      source: 'is unknown',
    });
    const other = new PaymentsValidationError([{ field: 'requestedBy', problem: 'is missing' }]);
    expect(payoutProblems(other)).toEqual({ '': 'requestedBy is missing' });
  });
});
