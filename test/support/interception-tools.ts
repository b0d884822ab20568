import type { PaymentsHttpService } from '@tillkit/payments';

/** The answer that a test of a host gives to a create in place of the platform. */
export type Answer = 'created' | 'breaks' | 'times out';

/** A tool with which tests of hosts answer in place of a platform, used as its documentation says. */
export interface InterceptionTool {
  readonly tool: string;
  /** The answers that it can give to a create. */
  readonly answers: readonly Answer[];
  /** Answers token requests and creates at an origin. Everything else goes on its way. */
  start(http: PaymentsHttpService, origin: string, create: Answer): Promise<Interception>;
}

/** A tool that intercepts now, in this process. */
export interface Interception {
  /** Returns the number of creates that it has answered. */
  creates(): number;
  stop(): void;
}

/** The tools whose packages `npm run test:hosts` installs. */
export interface InterceptionTools {
  readonly INTERCEPTION_TOOLS: readonly InterceptionTool[];
  /** Repeats every request that gets no answer, or a 5xx, up to three times. */
  repeatEverything(http: PaymentsHttpService): void;
}

// The compiler does not follow this path, because it has the types of these packages only in npm run test:hosts.
const PACKAGES: string = '../hosts/interception-tools.js';

/** Null outside of `npm run test:hosts`. */
export async function interceptionTools(): Promise<InterceptionTools | null> {
  if (process.env['TILLKIT_HOST_LIBRARIES'] === undefined) return null;
  return (await import(PACKAGES)) as InterceptionTools;
}
