import SharedEnvironment from '../support/jest/shared.environment.cjs';

/** Calls `globalThis.keepFailure`, if there is one, when a test has failed and before its hooks close anything. */
export default class FailureEnvironment extends SharedEnvironment {
  async handleTestEvent(event, state) {
    await super.handleTestEvent(event, state);
    const { name, test } = event;
    if (name !== 'test_fn_failure') return;
    await this.global.keepFailure?.(test.name).catch((error) => process.stderr.write(`${error}\n`));
  }
}
