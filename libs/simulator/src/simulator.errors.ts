/** Base of all errors of the simulator's API. When the simulated platform refuses a request, it sends an HTTP response instead. */
export class SimulatorError extends Error {
  constructor(
    /** A stable code for programs. */
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An invalid option of `Simulator.start`. */
export class InvalidOptionError extends SimulatorError {
  constructor(option: string, problem: string) {
    super('SIMULATOR_INVALID_OPTION', `Simulator option ${option} ${problem}.`);
  }
}

/** The port is in use, or this user may not use it. */
export class CannotListenError extends SimulatorError {
  constructor(host: string, port: number, cause: unknown) {
    // We do not use `instanceof Error`, because under Jest errors of the network come from another realm.
    const reason = String((cause as { code?: unknown } | null)?.code ?? cause);
    const cure =
      reason === 'EADDRINUSE'
        ? 'another process listens there: stop it or choose another port'
        : reason === 'EACCES'
          ? 'this user may not use that port: choose one above 1023'
          : 'choose another host or port';
    super('SIMULATOR_CANNOT_LISTEN', `Cannot listen on ${host}:${port} (${reason}): ${cure}.`, {
      cause,
    });
  }
}

function unknownName(what: string, name: string, table: string): string {
  return `There is no ${what} "${name}". The names are the keys of ${table}.`;
}

/** No fault has this name. */
export class UnknownFaultError extends SimulatorError {
  constructor(kind: string) {
    super('SIMULATOR_UNKNOWN_FAULT', unknownName('fault', kind, 'FAULTS'));
  }
}

/** No scenario has this name. */
export class UnknownScenarioError extends SimulatorError {
  constructor(name: string) {
    super('SIMULATOR_UNKNOWN_SCENARIO', unknownName('scenario', name, 'SCENARIOS'));
  }
}

/** No payout scenario has this name. */
export class UnknownPayoutScenarioError extends SimulatorError {
  constructor(name: string) {
    super(
      'SIMULATOR_UNKNOWN_PAYOUT_SCENARIO',
      unknownName('payout scenario', name, 'PAYOUT_SCENARIOS'),
    );
  }
}

/** The simulator has no object with this id or reference. */
export class NotKnownError extends SimulatorError {
  constructor(what: string, id: string) {
    super('SIMULATOR_NOT_KNOWN', `There is no ${what} "${id}" in the simulator.`);
  }
}

/** The handset shows no open prompt. */
export class NoPromptError extends SimulatorError {
  constructor(phone: string) {
    super(
      'SIMULATOR_NO_PROMPT',
      `The handset ${phone} shows no open prompt. A prompt appears timings.prompt milliseconds after the create. Advance the clock, or check handset.prompts().`,
    );
  }
}

/** An account has less money than a movement needs. Nothing has moved. */
export class InsufficientFundsError extends SimulatorError {
  constructor(account: string, available: string, needed: string) {
    super(
      'SIMULATOR_INSUFFICIENT_FUNDS',
      `${account} has ${available} available, but ${needed} are needed. Pay into the till first, or set openingBalances.`,
    );
  }
}

/** An invalid argument, such as a phone number without `+`. */
export class InvalidInputError extends SimulatorError {
  constructor(message: string) {
    super('SIMULATOR_INVALID_INPUT', message);
  }
}
