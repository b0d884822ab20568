import type { CurrentSettings } from '../work/payments.settings.js';
import type { Runtime } from '../work/runtime.js';
import { BARE_PREFIX, type CallbackResource, type CallbackUrls } from '../work/callback-urls.js';

/** The callback URLs of bare requests that are not stored. */
export class BareCallbacks {
  constructor(
    private readonly urls: CallbackUrls,
    private readonly settings: CurrentSettings,
    private readonly runtime: Runtime,
  ) {}

  /** The URL for the result of a new request: the one that the host chose, else ours. */
  urlOf(resource: CallbackResource, chosen: string | null | undefined): string {
    return (
      chosen ??
      this.urls.callback(this.settings.current.account, resource, BARE_PREFIX + this.runtime.id())
    );
  }
}
