import { PaymentsError } from './payments.errors.js';

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
        'or have your PaymentsAccountsSource return it without `removed`',
    );
  }
}
