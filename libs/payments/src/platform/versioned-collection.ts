import {
  PlatformError,
  PlatformRateLimitedError,
  PlatformRejectedError,
  PlatformUnavailableError,
} from '../payments.errors.js';
import type { ApiVersion } from '../work/payments.settings.js';
import type { PlatformClient } from './platform-client.js';
import { resourceId } from './resource-id.js';

/**
 * A collection that the platform has in two versions. We create in the configured one. A resource that was created in the other one
 * must still be found, after the host has changed the setting.
 */
export class VersionedCollection {
  /**
   * @param name the name of the collection in a URL: `incoming_payments`
   * @param version the version that is configured now
   */
  constructor(
    private readonly client: PlatformClient,
    private readonly name: string,
    private readonly version: () => ApiVersion,
  ) {}

  /** Where resources are created. */
  get path(): string {
    return `/api/${this.version()}/${this.name}`;
  }

  private get otherPath(): string {
    return `/api/${this.version() === 'v1' ? 'v2' : 'v1'}/${this.name}`;
  }

  /**
   * Reads a resource: in the configured version, and if the platform does not have it there, in the other one.
   * @throws PlatformRejectedError with status 404 when it is in neither version
   */
  async read(operation: string, id: string, maxBytes?: number): Promise<Record<string, unknown>> {
    const item = resourceId(id);
    const { path, otherPath } = this;
    try {
      return await this.client.read(operation, `${path}/${item}`, maxBytes);
    } catch (missing) {
      if (!(missing instanceof PlatformRejectedError) || missing.status !== 404) throw missing;
      return this.readOther(operation, `${otherPath}/${item}`, missing, maxBytes);
    }
  }

  /** A platform that refuses the other version in any way, or shows no resource, does not have it there. A failure says nothing. */
  private async readOther(
    operation: string,
    path: string,
    missing: PlatformRejectedError,
    maxBytes?: number,
  ): Promise<Record<string, unknown>> {
    try {
      return await this.client.read(operation, path, maxBytes);
    } catch (error) {
      const isFailure =
        !(error instanceof PlatformError) ||
        error instanceof PlatformUnavailableError ||
        error instanceof PlatformRateLimitedError;
      throw isFailure ? error : missing;
    }
  }
}
