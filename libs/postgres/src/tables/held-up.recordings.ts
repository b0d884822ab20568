/** What tells which recordings are in each other's way. */
export interface Names {
  key: string;
  customer: string | null;
}

/**
 * Recordings that wait for a transaction of the host. Others of the same key or customer would wait for the same: they stand
 * behind them here, where they hold up no group, and take no connection. Somebody who asks again and again while the
 * host's transaction is open costs nobody anything.
 */
export class HeldUpRecordings {
  private readonly held = new Map<string, Promise<boolean>>();

  /** The one that another would stand behind: resolves when it has ended, with whether it was answered. */
  before(names: Names): Promise<boolean> | undefined {
    for (const name of listed(names)) {
      const held = this.held.get(name);
      if (held) return held;
    }
    return undefined;
  }

  /** Lets others stand behind a recording until it ends. */
  async hold<T>(names: Names, recording: Promise<T>): Promise<T> {
    const ended = recording.then(
      () => true,
      () => false,
    );
    for (const name of listed(names)) this.held.set(name, ended);
    try {
      return await recording;
    } finally {
      for (const name of listed(names)) this.held.delete(name);
    }
  }
}

function listed({ key, customer }: Names): string[] {
  return customer === null ? [`key ${key}`] : [`key ${key}`, `customer ${customer}`];
}
