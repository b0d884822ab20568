import type { CurrentSettings } from '../work/payments.settings.js';
import { AccountSweeps } from './account-sweeps.js';
import { Concealed } from '../work/concealed.decorator.js';

/**
 * Sweeps of an account: they read transactions whose webhook never came. The library sweeps on a schedule by itself; an application
 * rarely needs this service.
 * @example
 * await sweeps.sweep(); // in a command, before the day's report
 * @see docs/guide.md#reconcile
 * @publicApi
 */
@Concealed()
export class SweepsService {
  constructor(
    private readonly sweeps: AccountSweeps,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Sweeps from the watermark to now. A call during a sweep of this process waits for that sweep.
   * @returns false when another replica sweeps
   * @throws PlatformError | PlatformTimeoutError | CircuitOpenError when a window could not be read; the next sweep continues there
   */
  sweep(): Promise<boolean> {
    return this.sweeps.sweep(this.settings.current.account);
  }
}
