interface SystemError {
  code?: unknown;
  syscall?: unknown;
  message?: unknown;
  cause?: unknown;
  errors?: unknown;
}

/** A failed request without header, URL or body, which hold secrets. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';

  constructor(
    message: string,
    /** Whether the platform certainly received no byte of the request. */
    readonly certainlyNotSent: boolean,
    /** Whether the answer was larger than allowed. */
    readonly tooLarge = false,
  ) {
    super(message);
  }
}

const CERTIFICATE_CODE =
  /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/;
const TLS_HANDSHAKE = /before secure TLS connection|wrong version number|alert handshake failure/i;

/** Classifies why a request got no answer. The request counts as sent unless it certainly failed before its first byte. */
export function transportFailure(error: unknown): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const { code, message } = error as SystemError;
  const text = typeof message === 'string' ? message : '';
  const reason = typeof code === 'string' ? code : 'connection failed';
  return new TransportFailure(reason, isBeforeSending(error) || TLS_HANDSHAKE.test(text));
}

function isBeforeSending(error: unknown): boolean {
  const { code, syscall, cause, errors } = (error ?? {}) as SystemError;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isBeforeSending);
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true;
  if (typeof code === 'string' && CERTIFICATE_CODE.test(code)) return true;
  // Not `instanceof Error`: in a VM context, such as a test of Jest, errors of Node belong to another realm.
  return typeof cause === 'object' && cause !== null && isBeforeSending(cause);
}
