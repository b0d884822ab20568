import { describe, expect, it } from '@jest/globals';
import type { RegisteredListener } from '../store/events.store.js';
import { suspectsOf, suspectText } from './built-ids.js';
import type { Listener } from './listeners-explorer.js';

const EVENT = 'payment.succeeded';

const named = (id: string, event: Listener['event'] = EVENT): Listener => ({
  id,
  event,
  isNamedByCode: true,
  call: () => Promise.resolve(),
});
const stored = (listener: string, start = 'last', event: string = EVENT): RegisteredListener => ({
  account: 'default',
  event,
  listener,
  start,
});
const found = (
  own: readonly Listener[],
  known: readonly RegisteredListener[],
  more: readonly string[] = [],
): (string | undefined)[] =>
  suspectsOf(own, new Set([...own.map(({ id }) => id), ...more]), known).map(
    ({ kind, own: { id }, old }) => `${id} ${kind} ${old.listener}`,
  );

describe('The id of a listener', () => {
  it.each(['Orders2', 'Orders14', '_Orders', '_Orders2', 'Orders_1', 'Orders$1'])(
    'is made by a bundler when its class is %s and only Orders is known',
    (name) => {
      expect(found([named(`${name}.paid`)], [stored('Orders.paid')])).toEqual([
        `${name}.paid built Orders.paid`,
      ]);
      // The way back: the bundle ran first.
      expect(found([named('Orders.paid')], [stored(`${name}.paid`)])).toEqual([
        `Orders.paid built ${name}.paid`,
      ]);
    },
  );

  it('is made by a bundler whichever event its method receives now', () => {
    expect(found([named('Orders2.paid', 'payment.failed')], [stored('Orders.paid')])).toEqual([
      'Orders2.paid built Orders.paid',
    ]);
  });

  it.each([
    ['it is the only listener of its name', [named('Orders2.paid')], [], []],
    [
      'the application has both',
      [named('PaymentsV1.paid'), named('PaymentsV2.paid')],
      [stored('PaymentsV1.paid')],
      [],
    ],
    [
      'the application has the other one for another account',
      [named('Orders2.paid')],
      [stored('Orders.paid')],
      ['Orders.paid'],
    ],
    ['the methods differ', [named('Orders2.paid')], [stored('Orders.failed')], []],
    [
      'it is known, as after every start that was not refused',
      [named('Orders2.paid')],
      [stored('Orders.paid'), stored('Orders2.paid')],
      [],
    ],
    [
      'a person has written it',
      [{ ...named('Orders2.paid'), isNamedByCode: false }],
      [stored('Orders.paid')],
      [],
    ],
  ])('is no suspect when %s', (_, own, known, more) => {
    expect(found(own, known, more)).toEqual([]);
  });

  it('is that of a renamed class when the old class was registered with a listener that is still there', () => {
    const own = [named('Shop.paid'), named('Mails.sent')];
    expect(found(own, [stored('Orders.paid'), stored('Mails.sent')])).toEqual([
      'Shop.paid renamed Orders.paid',
    ]);
  });

  it('is that of another application when the other class was not registered with a listener of this one', () => {
    const own = [named('Shop.paid'), named('Mails.sent')];
    expect(found(own, [stored('Orders.paid', 'theirs'), stored('Mails.sent', 'ours')])).toEqual([]);
  });

  it('is doubtful when the store knows no listener of this application', () => {
    expect(found([named('Mails.paid')], [stored('Orders.paid')])).toEqual([
      'Mails.paid doubtful Orders.paid',
    ]);
  });

  it('is no suspect beside another class whose method or event differs', () => {
    const known = [stored('Orders.done'), stored('Orders.paid', 'last', 'payment.failed')];
    expect(found([named('Mails.paid')], known)).toEqual([]);
  });

  it('is a suspect once, however many events its method receives', () => {
    const own = [named('Orders2.update'), named('Orders2.update', 'payment.failed')];
    const known = [stored('Orders.update'), stored('Orders.update', 'last', 'payment.failed')];
    expect(found(own, known)).toEqual(['Orders2.update built Orders.update']);
  });
});

describe('The text about a suspect', () => {
  const text = (...accounts: string[]): string => {
    const [suspect] = suspectsOf([named('Orders2.paid')], new Set(['Orders2.paid']), [
      stored('Orders.paid'),
    ]);
    return suspectText(suspect!, accounts);
  };

  it('has both ids, the event, the cause, and a cure for each case', () => {
    expect(text('default')).toMatch(
      /^the listener Orders2\.paid of payment\.succeeded is new, and Orders\.paid, .*a bundler .*@OnPaymentEvent\('payment\.succeeded', \{ id: 'Orders\.paid' \}\).* npx @tillkit\/cli listeners delete Orders\.paid\. .*\{ id: 'Orders2\.paid' \}$/,
    );
  });

  it.each([
    [['default'], / listeners delete Orders\.paid\. /],
    [['shop-1'], / listeners delete Orders\.paid --account shop-1\. /],
    [['shop-1', 'shop-2'], / listeners delete Orders\.paid --all\. /],
  ])('has the command that deletes the old one in %j', (accounts, command) => {
    expect(text(...accounts)).toMatch(command);
  });
});
