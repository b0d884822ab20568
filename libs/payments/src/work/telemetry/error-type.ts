import { PaymentsError } from '../../payments.errors.js';

/** Names of classes, as code has them. */
const CLASS_NAME = /^[A-Za-z_$][\w$]{0,63}$/;

/** The value of `error.type` for an error: a code of ours, or the name of its class. Never its text. */
export function errorType(error: unknown): string {
  if (error instanceof PaymentsError) return error.code;
  const name = error instanceof Error ? error.name : '';
  return CLASS_NAME.test(name) ? name : '_OTHER';
}
