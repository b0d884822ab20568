import { describe, expect, it } from '@jest/globals';
import { StoreUnavailableError } from '@tillkit/payments';
import { databaseProblem } from './database-problem.js';

const unavailable = (message: string, code?: string): StoreUnavailableError =>
  new StoreUnavailableError(message, { cause: Object.assign(new Error(message), { code }) });

describe('The problem of a database', () => {
  it.each([
    ["Hostname/IP does not match certificate's altnames", 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN'],
    ['unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('is a wrong setting when the certificate of the server is refused: %s', (message, code) => {
    expect(databaseProblem(unavailable(message, code))).toMatchObject({
      isSetting: true,
      cure: expect.stringMatching(/sslrootcert=/),
    });
  });

  it('is no wrong setting when the server cannot be reached', () => {
    expect(databaseProblem(unavailable('connect failed', 'ECONNREFUSED'))).toMatchObject({
      isSetting: false,
      cure: expect.stringMatching(/^Start PostgreSQL/),
    });
  });

  it('is unknown for any other error', () => {
    expect(databaseProblem(unavailable('it broke', 'ERR_INTERNAL'))).toBeNull();
    expect(databaseProblem(new Error('connect failed'))).toBeNull();
  });
});
