import { describe, expect, it } from '@jest/globals';
import { UsageError } from '../command.errors.js';
import { override } from './body-override.js';

const webhook = () => ({
  topic: 'buygoods_transaction_received',
  event: { type: 'Buygoods Transaction', resource: { amount: '100.0', list: [{ id: 'one' }] } },
});

describe('A field of an example body', () => {
  it.each([
    ['amount=250.0', { event: { resource: { amount: '250.0' } } }],
    ['topic=other', { topic: 'other' }],
    ['event.type=a=b', { event: { type: 'a=b' } }],
    ['event.resource.amount:=250', { event: { resource: { amount: 250 } } }],
    ['sender_middle_name:=null', { event: { resource: { sender_middle_name: null } } }],
    ['list.0.id=two', { event: { resource: { list: [{ id: 'two' }] } } }],
    ['reference=', { event: { resource: { reference: '' } } }],
  ])('is set by %s', (text, expected) => {
    const body = webhook();
    override(body, text);
    expect(body).toMatchObject(expected);
  });

  it('is set in the attributes of a callback', () => {
    const body = { data: { id: 'one', attributes: { status: 'Success' } } };
    override(body, 'status=Failed');
    override(body, 'data.id=two');
    expect(body).toEqual({ data: { id: 'two', attributes: { status: 'Failed' } } });
  });

  it.each([
    ['amount', /write field=text/],
    ['=5', /write field=text/],
    ['amount:=five', /no valid JSON after ":="/],
    ['event.nothing.amount=5', /does not have: print the body with --print/],
    ['amount.value=5', /does not have/],
    ['__proto__.polluted=1', /does not have/],
    ['event.__proto__.polluted=1', /does not have/],
    ['event.constructor.name=1', /does not have/],
  ])('is not set by %s, which says why', (text, why) => {
    expect(() => override(webhook(), text)).toThrow(UsageError);
    expect(() => override(webhook(), text)).toThrow(why);
    expect({}).not.toHaveProperty('polluted');
  });
});
