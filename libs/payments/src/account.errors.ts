import { PaymentsError } from './payments.errors.js';

/** Returns a text on one line, as error texts are. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}

interface PauseShown {
  account: string | null;
  by: string;
  note: string;
}

/** Sending is paused, so nothing was recorded and nothing was sent. Ask again with the same key after it is resumed. @publicApi */
export class SendingPausedError extends PaymentsError {
  readonly code = 'PAYMENTS_SENDING_PAUSED';
  /** The person who paused it. */
  readonly by: string;
  /** The reason that this person gave. */
  readonly note: string;

  constructor({ account, by, note }: PauseShown) {
    super(
      `sending is paused for ${account === null ? 'all accounts' : `account "${account}"`} by ${plain(by)} (${plain(note)}). Nothing was sent. ` +
        'Ask again after PaymentsAccounts.resume()',
    );
    this.by = by;
    this.note = note;
  }
}

/** This application has no account of that name. Nothing was sent. @publicApi */
export class AccountNotFoundError extends PaymentsError {
  readonly code = 'PAYMENTS_ACCOUNT_NOT_FOUND';

  constructor(readonly account: string) {
    super(
      `this application has no account "${account}": add it with PaymentsAccounts.add(), or have your PaymentsAccountsSource load it`,
    );
  }
}

/**
 * The account could not be loaded now, so nobody knows its keys. Nothing was sent. Try again. `cause` is what your
 * `PaymentsAccountsSource` threw.
 * @publicApi
 */
export class AccountUnavailableError extends PaymentsError {
  readonly code = 'PAYMENTS_ACCOUNT_UNAVAILABLE';

  constructor(
    readonly account: string,
    why: string,
    cause?: Error,
  ) {
    super(
      `account "${account}" could not be loaded: ${why}. Nothing was sent; try again`,
      cause && { cause },
    );
  }
}

/** The account was removed: it takes no new requests. What is open goes on. Nothing was sent. @publicApi */
export class AccountRemovedError extends PaymentsError {
  readonly code = 'PAYMENTS_ACCOUNT_REMOVED';

  constructor(readonly account: string) {
    super(
      `account "${account}" was removed, so it takes no new requests. Nothing was sent. To use it again, call PaymentsAccounts.add(), ` +
        'or have your PaymentsAccountsSource return it without `removed`; then get its services again with PaymentsAccounts.get()',
    );
  }
}
