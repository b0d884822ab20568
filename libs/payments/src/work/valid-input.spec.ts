import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Type, type ClassConstructor } from 'class-transformer';
import { Allow, IsNumber, MaxLength, ValidateNested } from 'class-validator';
import fc from 'fast-check';
import { RequestPaymentLink } from '../operations/payment-links/request-payment-link.dto.js';
import { RequestPayment } from '../operations/payments/request-payment.dto.js';
import { RefundFields } from '../operations/refunds/request-refund.dto.js';
import { RECIPIENT_CLASSES } from '../platform/resources/external-recipients/create-external-recipient.dto.js';
import { CreateIncomingPaymentDto } from '../platform/resources/incoming-payments/create-incoming-payment.dto.js';
import { CreateMerchantBankAccountDto } from '../platform/resources/merchant-bank-accounts/create-merchant-bank-account.dto.js';
import { CreateMerchantWalletDto } from '../platform/resources/merchant-wallets/create-merchant-wallet.dto.js';
import { CreatePayDto } from '../platform/resources/pay/create-pay.dto.js';
import { CreatePaymentLinkDto } from '../platform/resources/payment-links/create-payment-link.dto.js';
import { CreatePollingDto } from '../platform/resources/polling/create-polling.dto.js';
import { CreateReversalDto } from '../platform/resources/reversals/create-reversal.dto.js';
import { filled, Satisfies } from './satisfies.decorator.js';
import { SendMoneyFields } from '../platform/resources/send-money/create-send-money.dto.js';
import { DESTINATION_CLASSES } from '../platform/resources/send-money/send-money-destination.dto.js';
import { SettlementTransferFields } from '../platform/resources/settlement-transfers/create-settlement-transfer.dto.js';
import { CreateSmsNotificationDto } from '../platform/resources/sms-notifications/create-sms-notification.dto.js';
import { readValid } from './valid-input.js';
import { checkAnyInput, checkInput } from './validate-input.js';
import { CreateWebhookSubscriptionDto } from '../platform/resources/webhook-subscriptions/create-webhook-subscription.dto.js';

type Dto = ClassConstructor<object>;
type Fields = Record<PropertyKey, unknown>;

const person = { firstName: 'Jane', lastName: 'Doe', phoneNumber: '0700 000 001' };
const amount = { currency: 'KES', value: '100.00' };
const metadata = { order: '17', paid: false, count: 2, note: null };
const callbackUrl = 'https://shop.test/callback';
const bank = { accountName: 'Jane', accountNumber: '17', bankBranchRef: 'branch' };
const payment = {
  paymentChannel: 'M-PESA STK Push',
  tillNumber: '514459',
  subscriber: { ...person, email: 'jane@shop.test' },
  amount,
  metadata,
};
const link = { tillNumber: 'K17', amount, paymentReference: 'order 17', note: 'Shoes', metadata };
const external = { amount: '100', description: 'Wages', nickname: 'Jane', favourite: true };
const wallet = { ...person, network: 'Safaricom', nickname: 'Jane' };
const sweep = { currency: 'KES', sweepAllFunds: true, sourceIdentifier: '514459', metadata };

const recipient = (type: string, input: object): [Dto, object] => [
  RECIPIENT_CLASSES.get(type) as Dto,
  { type, ...input },
];
const destination = (type: string, input: object): [Dto, object] => [
  DESTINATION_CLASSES.get(type) as Dto,
  { type, ...input },
];

/** Each DTO with a valid input. That of a payout is not here: its destinations are a list, which the reader does not read. */
const DTOS = (
  [
    [CreateIncomingPaymentDto, { ...payment, callbackUrl }],
    [RequestPayment, { ...payment, idempotencyKey: 'order-17', allowParallel: false }],
    [CreatePaymentLinkDto, { ...link, callbackUrl }],
    [RequestPaymentLink, { ...link, idempotencyKey: 'order-17' }],
    [RefundFields, { idempotencyKey: 'refund-17', why: 'sold out', paymentId: '17', metadata }],
    [SendMoneyFields, { ...sweep, callbackUrl }],
    [
      CreatePayDto,
      { destinationType: 'till', destinationReference: 'r', amount, description: 'x', metadata },
    ],
    [CreateMerchantWalletDto, wallet],
    [CreateMerchantBankAccountDto, { ...bank, settlementMethod: 'RTS', nickname: 'Shop' }],
    [
      SettlementTransferFields,
      { amount, destinationType: 'merchant_wallet', destinationReference: 'r', callbackUrl },
    ],
    [CreatePollingDto, { fromTime: '2026-01-31T08:00:00Z', toTime: '2026-01-31T09:00:00+00:00' }],
    [CreateReversalDto, { transactionReference: 'OJM6Q1W84K', reason: 'sold out', metadata }],
    [CreateSmsNotificationDto, { webhookEventReference: 'w-1', message: 'Thanks', callbackUrl }],
    [CreateWebhookSubscriptionDto, { eventType: 'customer_created', scope: 'company' }],
    recipient('mobile_wallet', { ...wallet, email: 'jane@shop.test' }),
    recipient('bank_account', { ...bank, settlementMethod: 'EFT' }),
    recipient('till', { tillName: 'Shop', tillNumber: '514459' }),
    recipient('paybill', { paybillName: 'Shop', paybillNumber: '17', paybillAccountNumber: '18' }),
    destination('mobile_wallet', { ...external, phoneNumber: '0700000001', network: 'Safaricom' }),
    destination('bank_account', { ...external, ...bank }),
    destination('till', { ...external, tillNumber: '514459' }),
    destination('paybill', { ...external, paybillNumber: '17', paybillAccountNumber: '18' }),
    destination('merchant_wallet', { amount: '100', reference: 'r' }),
    destination('merchant_bank_account', { amount: '100', reference: 'r' }),
  ] satisfies [Dto, object][]
).map(([dto, input]) => ({ name: dto.name, dto: dto as Dto, input: input as Fields }));

class Other {
  order = '17';
}

/** Values that a host may pass by mistake, or passes on from a request to its own server. */
const TEXTS = [
  '',
  ' ',
  'text',
  '0',
  '-1',
  '1e3',
  '100.001',
  'KES',
  'UGX',
  'XXX',
  'till',
  'company',
];
const PHONES = ['+254700000001', '0700 000 001', '+15', 'call 0700 000 001'];
const PRIMITIVES = [undefined, null, true, false, 0, 7, Number.NaN, Infinity, 10n, Symbol('s')];
const HOSTILE: (() => unknown)[] = [
  () => [],
  () => ['a', 'b'],
  () => ({}),
  () => ({ ...amount }),
  () => ({ ...person }),
  () => ({ order: { number: '17' } }),
  () => ({ order: undefined, [Symbol('s')]: 1 }),
  () => ({ constructor: 'x' }),
  () => ({ toString: 'x', valueOf: 'y', hasOwnProperty: 'z' }),
  () => JSON.parse('{"then":"x"}') as unknown,
  () => ({ 1: 'a', b: 'c', 0: 'd' }),
  () => JSON.parse('{"__proto__":{"order":"17"},"order":"18"}') as unknown,
  () => Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, key])),
  () => Object.assign(Object.create(null) as object, { order: '17' }),
  () => Object.create({ order: '17' }) as unknown,
  () => Object.defineProperty({}, 'order', { value: '17', configurable: true }),
  () => ({
    get order() {
      return '17';
    },
  }),
  () => ({
    get order() {
      return failing();
    },
  }),
  () => new Proxy({ ...amount }, {}),
  () => Object.freeze({ ...metadata }),
  () => new Other(),
  () => new Date(0),
  () => new Date(Number.NaN),
  () => new Map([['order', '17']]),
  () => new Set(['17']),
  () => Buffer.from('17'),
  () => new String('17'),
  () => new Number(17),
  () => /x/,
  () => new Error('x'),
  () => () => 'x',
  ...[...TEXTS, ...PHONES, ...PRIMITIVES, 'jane@shop', 'http://shop.test'].map(
    (value) => () => value,
  ),
];

function failing(): never {
  throw new Error('a getter of the input');
}

const OTHER_KEYS = ['more', 'constructor', '__proto__', 'toString', 'then', 'order', '0'];
const KEYS = [...new Set([...DTOS.flatMap(({ input }) => Object.keys(input)), ...OTHER_KEYS])];

/** One change of an input, or of an object in it. */
const change = fc.record({
  /** Chooses the input or an object in it. */
  place: fc.nat(5),
  key: fc.constantFrom(...KEYS),
  value: fc.constantFrom(...HOSTILE),
  /** Chooses a key that is there, because most changes of other keys only add an unknown field. */
  present: fc.nat(20),
  way: fc.constantFrom('delete', 'replace', 'replace', 'replace', 'add', 'getter', 'symbol'),
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(input: Fields, changes: Change[]): Fields {
  const copy = copyOf(input);
  for (const { place, key, value, present, way } of changes) {
    const objects = [copy, ...Object.values(copy).filter(isFields)].filter(Object.isExtensible);
    const object = objects[place % objects.length] as Fields;
    const keys = Object.keys(object);
    const at = keys[present % (keys.length || 1)] ?? key;
    if (way === 'delete') delete object[at];
    else if (way === 'replace') define(object, at, { value: value() });
    else if (way === 'add') define(object, key, { value: value() });
    else if (way === 'getter') define(object, at, { get: value });
    else object[Symbol('s')] = value();
  }
  return copy;
}

/** Not `structuredClone`: in a test of Jest its objects belong to another realm, so the reader would read none of them. */
const copyOf = (input: Fields): Fields =>
  Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, isFields(value) ? copyOf(value) : value]),
  );

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const define = (object: Fields, key: string, property: PropertyDescriptor): void => {
  Object.defineProperty(object, key, { ...property, enumerable: true, configurable: true });
};

/** Ways to pass the same fields. */
const WAYS: ((dto: Dto, input: Fields) => object)[] = [
  (_, input) => input,
  (dto, input) => Object.defineProperties(new dto(), Object.getOwnPropertyDescriptors(input)),
  (_, input) => Object.create(input) as object,
  (_, input) => new Proxy(input, {}),
  (_, input) => Object.freeze(input),
  (_, input) => Object.setPrototypeOf(input, Other.prototype) as object,
  (_, input) => Object.defineProperties(new Map(), Object.getOwnPropertyDescriptors(input)),
  (_, input) => Object.defineProperties(new Date(), Object.getOwnPropertyDescriptors(input)),
];

describe.each(DTOS)('an input of $name', ({ dto, input }) => {
  it('that is valid is read without class-transformer and class-validator', () => {
    const value = readValid(dto, input);
    expect(value).toBeInstanceOf(dto);
    expect({ value, problems: [] }).toStrictEqual(checkAnyInput(dto, input));
  });

  it('is read with the same result as by class-transformer and class-validator', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), fc.constantFrom(...WAYS), (changes, way) => {
        const given = way(dto, changed(input, changes));
        const value = readValid(dto, given);
        if (value === null) return;
        read += 1;
        const expected = checkAnyInput(dto, given);
        expect({ value, problems: [] }).toStrictEqual(expected);
        expect(keysOf(value)).toEqual(keysOf(expected.value ?? {}));
      }),
      { numRuns: 500 },
    );
    // Otherwise this test would compare nothing.
    expect(read).toBeGreaterThan(25);
  });
});

/** All keys in their order, with those of objects in it. */
const keysOf = (value: object): unknown[] =>
  Object.entries(value).map(([key, item]) => (isFields(item) ? [key, keysOf(item)] : key));

describe('a DTO whose decorators the reader does not know', () => {
  class Line {
    @Satisfies(filled)
    name: string;
  }
  class WithList {
    @ValidateNested({ each: true })
    @Type(() => Line)
    lines: Line[];
  }
  class WithGroup {
    @MaxLength(3, { groups: ['short'] })
    name: string;
  }
  class WithUnchecked {
    @Allow()
    name: string;
  }
  class WithCondition {
    @IsNumber({}, { validateIf: () => false })
    count: number;
  }
  class WithUntypedObject {
    @ValidateNested()
    line: Line;
  }
  class WithMethod {
    @Satisfies(filled)
    name(): string {
      return 'x';
    }
  }
  class WithItself {
    @ValidateNested()
    @Type(() => WithItself)
    next?: WithItself;
  }

  it.each<[string, Dto, object]>([
    ['a list of objects', WithList, { lines: [{ name: 'x' }] }],
    ['groups', WithGroup, { name: 'abcd' }],
    ['a field without rules', WithUnchecked, { name: 'x' }],
    ['a condition of one rule', WithCondition, { count: 'x' }],
    ['an object without a type', WithUntypedObject, { line: { name: 'x' } }],
    ['rules of a method', WithMethod, { name: 'x' }],
    ['an object of its own class', WithItself, { next: { next: {} } }],
  ])('is left to class-transformer and class-validator: %s', (_, dto, input) => {
    expect(readValid(dto, input)).toBeNull();
    expect(checkInput(dto, input)).toStrictEqual(checkAnyInput(dto, input));
  });
});
