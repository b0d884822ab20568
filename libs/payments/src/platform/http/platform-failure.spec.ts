import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { transportFailure, TransportFailure } from './platform-failure.js';

/** An error as Node's network code makes it. */
const failed = (message: string, fields: object = {}): Error =>
  Object.assign(new Error(message), fields);

const refused = failed('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' });
const reset = failed('read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' });

describe('a request without an answer', () => {
  it.each<[string, unknown]>([
    ['a refused connection', refused],
    ['a host that does not exist', failed('x', { code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
    ['every address refused', failed('', { errors: [refused, refused] })],
    ['a refusal inside the error of the HTTP client', failed('x', { cause: refused })],
    [
      'a refusal whose error is of another realm',
      failed('x', { cause: runInNewContext(`({ syscall: 'connect' })`) as unknown }),
    ],
    ['an expired certificate', failed('x', { code: 'CERT_HAS_EXPIRED' })],
    ['a certificate for another host', failed('x', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })],
    ['a self-signed certificate', failed('x', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
    [
      'a certificate chain that cannot be verified',
      failed('x', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
    ],
    [
      'a connection lost before TLS was established',
      failed('Client network socket disconnected before secure TLS connection was established', {
        code: 'ECONNRESET',
      }),
    ],
    ['a server that speaks no TLS', failed('SSL routines:wrong version number')],
  ])('was certainly not sent after %s', (_, error) => {
    expect(transportFailure(error).certainlyNotSent).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a reset', reset],
    ['one address refused and one that was reset', failed('', { errors: [refused, reset] })],
    ['a list of no errors', failed('', { errors: [] })],
    ['a hang-up', failed('socket hang up', { code: 'ECONNRESET' })],
    ['a cause that is no error', failed('x', { cause: 'refused' })],
    ['something that is no error', {}],
  ])('may have been sent after %s', (_, error) => {
    expect(transportFailure(error).certainlyNotSent).toBe(false);
  });

  it('has an error that names the code', () => {
    expect(transportFailure(reset).message).toBe('ECONNRESET');
    expect(transportFailure(failed('x')).message).toBe('connection failed');
  });

  it('has the error that says so itself', () => {
    const late = new TransportFailure('no answer in 100 ms', false);
    expect(transportFailure(late)).toBe(late);
  });

  it('has an error without the error of the HTTP client, which contains the token', () => {
    const error = failed('x', {
      code: 'ECONNRESET',
      config: { headers: { Authorization: 'Bearer of-a-token' } },
    });
    const shown = inspect(transportFailure(error), { showHidden: true, depth: null });
    expect(shown).not.toContain('of-a-token');
  });
});
