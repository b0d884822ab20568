/** The names by which recordings conflict: equal keys, or equal guards. */
export interface Names {
  key: string;
  guards: readonly string[];
}

/**
 * Recordings that wait for an open transaction of the host. Later recordings of the same key or guard would wait for the
 * same transaction. They wait here instead: they use no connection and do not delay groups, however often a caller
 * repeats its request.
 */
export class HeldUpRecordings {
  private readonly held = new Map<string, Promise<boolean>>();

  /** Returns the held-up recording that this one must wait for. It resolves when that one ends: true if it had a result. */
  before(names: Names): Promise<boolean> | undefined {
    for (const name of listed(names)) {
      const held = this.held.get(name);
      if (held) return held;
    }
    return undefined;
  }

  /** Makes later recordings of the same names wait until this one ends. */
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

function listed({ key, guards }: Names): string[] {
  return [`key ${key}`, ...guards.map((guard) => `guard ${guard}`)];
}
