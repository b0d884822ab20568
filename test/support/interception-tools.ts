import type { PaymentsHttpService } from '@tillkit/payments';

/** What a test of a host answers to a create in place of the platform. */
export type Answer = 'created' | 'breaks' | 'times out';

/** A tool with which tests of hosts answer in place of a platform, used as its documentation says. */
export interface InterceptionTool {
  readonly tool: string;
  /** The answers that it can give to a create. */
  readonly answers: readonly Answer[];
  /** Answers token requests and creates at an origin. Everything else goes on its way. */
  start(http: PaymentsHttpService, origin: string, create: Answer): Promise<Interception>;
}

/** What a tool does now, in this process. */
export interface Interception {
  /** How many creates it has answered. */
  creates(): number;
  stop(): void;
}

/** Those whose packages `npm run test:hosts` installs. */
export interface InterceptionTools {
  readonly INTERCEPTION_TOOLS: readonly InterceptionTool[];
  /** Repeats every request that gets no answer, or a 5xx, up to three times. */
  repeatEverything(http: PaymentsHttpService): void;
}

// A path that the compiler does not follow: it has the types of these packages only in npm run test:hosts.
const PACKAGES: string = '../hosts/interception-tools.js';

/** Null elsewhere. */
export async function interceptionTools(): Promise<InterceptionTools | null> {
  if (process.env['TILLKIT_HOST_LIBRARIES'] !== 'all') return null;
  return (await import(PACKAGES)) as InterceptionTools;
}
