import type { FaultKind } from './faults.constants.js';

/** What a correct client does when a fault is injected: the rest of a sentence that begins with "A correct client". */
export const CORRECT_CLIENTS: Readonly<Record<FaultKind, string>> = {
  duplicate: 'answers each copy 2xx and counts the payment once.',
  reorder: 'does not depend on the order: a final state stays.',
  delay: 'reads the status of the payment meanwhile, and accepts the late result.',
  lose: 'reads the status of the payment, and so finds the result.',
  replay: 'recognises the delivery and changes nothing.',
  'before-create-answer': 'finds the payment of the result, although it has no id of it yet.',

  truncate:
    'refuses the delivery, because the signature does not match, and accepts the next attempt.',
  gzip: 'checks the signature of the received bytes, before it decompresses them.',
  bom: 'checks the signature of the received bytes, and then reads the JSON.',
  'wrong-key': 'answers 401 and changes nothing.',
  unsigned: 'answers 401 and changes nothing.',
  reserialised: 'answers 401: it checks the received bytes, not the parsed JSON.',
  'authorization-header': 'ignores the header and checks the signature.',

  'unknown-status': 'keeps the payment open and reads its status later.',
  'unknown-field': 'ignores the fields.',
  'number-amounts': 'reads both: a number and a decimal string.',
  'string-errors': 'reads both: a string and a list.',
  'bare-disbursements': 'takes the destination from its own record of the payout.',
  'unavailable-reference': 'does not use the reference until the platform gives one.',

  'create-never-answers': 'stops waiting, sends no second create, and waits for the result.',
  'create-reset-after-commit': 'sends no second create: the first may have charged.',
  'create-reset-before-commit': 'sends no second create: it cannot know that nothing was charged.',
  'create-5xx-after-commit': 'sends no second create: the first may have charged.',
  'create-5xx-before-commit': 'sends no second create: it cannot know that nothing was charged.',
  'create-408': 'sends no second create: the first may have charged.',
  'create-429': 'sends the create again after the time in `Retry-After`.',
  'create-302': 'does not follow the redirect, so that its token stays here.',
  'create-without-location': 'finds the payment by the result that arrives.',
  'create-foreign-location': 'never calls the other host: it takes only the id from the URL.',
  'create-http-location': 'never sends its token over `http:`.',
  'create-unversioned-location': 'takes the id from the URL and builds the path itself.',
  'create-other-version-location':
    'takes only the id from the URL and reads the payment in its own version.',

  'read-5xx': 'reads again later, with growing pauses. The payment stays open.',
  'read-slow': 'stops waiting and reads again later.',
  'read-drip': 'limits the whole time of a response, not only the first byte.',
  'read-reset': 'uses no part of the answer and reads again.',
  'read-404': 'does not count the payment as failed: the platform may know it later.',
  'read-429': 'reads again after the time in `Retry-After`.',

  'token-slow': 'stops waiting and asks again. It sends no create without a token.',
  'token-5xx': 'asks again, with growing pauses.',
  'token-nonsense': 'refuses the answer and asks again.',
  'token-created-at-missing': 'counts the lifetime from the arrival of the token.',
  'token-created-at-iso': 'reads the time in both formats.',
  'token-expires-mid-flight': 'gets a new token and sends the call again, once.',
};
