/** The base of what the simulator's own API throws. The platform's refusals are HTTP answers, not these. */
export class SimulatorError extends Error {
  constructor(
    /** Stable, for programs. */
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option of `Simulator.start` that cannot work. */
export class InvalidOptionError extends SimulatorError {
  constructor(option: string, complaint: string) {
    super('SIMULATOR_INVALID_OPTION', `Simulator option ${option} ${complaint}.`);
  }
}

/** The port is taken or may not be used. */
export class CannotListenError extends SimulatorError {
  constructor(host: string, port: number, cause: unknown) {
    // Not `instanceof Error`: under Jest the network's errors are of another realm.
    const reason = String((cause as { code?: unknown } | null)?.code ?? cause);
    const cure =
      reason === 'EADDRINUSE'
        ? 'something else listens there: stop it or choose another port'
        : reason === 'EACCES'
          ? 'this user may not use that port: choose one above 1023'
          : 'choose another host or port';
    super('SIMULATOR_CANNOT_LISTEN', `Cannot listen on ${host}:${port} (${reason}): ${cure}.`, {
      cause,
    });
  }
}

/** No fault has this name. */
export class UnknownFaultError extends SimulatorError {
  constructor(kind: string) {
    super(
      'SIMULATOR_UNKNOWN_FAULT',
      `There is no fault "${kind}". The names are the keys of FAULTS.`,
    );
  }
}

/** No scenario has this name. */
export class UnknownScenarioError extends SimulatorError {
  constructor(name: string) {
    super(
      'SIMULATOR_UNKNOWN_SCENARIO',
      `There is no scenario "${name}". The names are the keys of SCENARIOS.`,
    );
  }
}

/** Nothing here has this id or reference. */
export class NotKnownError extends SimulatorError {
  constructor(what: string, id: string) {
    super('SIMULATOR_NOT_KNOWN', `The simulator knows no ${what} "${id}".`);
  }
}

/** The handset shows no prompt that could be answered. */
export class NoPromptError extends SimulatorError {
  constructor(phone: string) {
    super(
      'SIMULATOR_NO_PROMPT',
      `The handset ${phone} shows no open prompt. Prompts appear timings.prompt after the create: advance the clock, or look at prompts().`,
    );
  }
}

/** Something asked of the simulator makes no sense, such as a phone number without `+`. */
export class InvalidInputError extends SimulatorError {
  constructor(message: string) {
    super('SIMULATOR_INVALID_INPUT', message);
  }
}
