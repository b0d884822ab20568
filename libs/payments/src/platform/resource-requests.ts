import {
  PlatformError,
  PlatformRateLimitedError,
  PlatformRejectedError,
  PlatformUnavailableError,
} from '../platform.errors.js';
import type { CreatedResource, PlatformClient } from './platform-client.js';
import { readResource, type ResourceTable, type Shown } from './resource-table.js';
import type { CreateOutcome, Sending } from './sending.js';
import { expectEnvelope, resourceId, type WireObject } from './wire-value.js';

/** Creates a resource, see `PlatformClient.create`. */
export function createResource(
  client: PlatformClient,
  table: ResourceTable,
  body: WireObject,
): Promise<CreatedResource> {
  const { path } = pathsOf(client, table);
  return client.create(`create ${table.noun}`, path, body, table.purpose);
}

/** Creates a resource that is recorded, see `PlatformClient.attempt`. */
export function attemptResource(
  client: PlatformClient,
  table: ResourceTable,
  body: WireObject,
  sending: Sending,
): Promise<CreateOutcome> {
  return client.attempt(`create ${table.noun}`, pathsOf(client, table).path, body, sending);
}

/**
 * Reads a resource. One that was created in another version than the configured one is found too: the host may have changed the setting.
 * @throws PaymentsValidationError for an id that could change the URL; nothing was sent
 * @throws PlatformRejectedError with status 404 when the platform does not have the id, in any version
 * @throws PlatformResponseError when the answer is not the requested resource
 */
export async function getResource<T extends ResourceTable>(
  client: PlatformClient,
  table: T,
  id: string,
  maxBytes?: number,
): Promise<Shown<T>> {
  const operation = `get ${table.noun}`;
  const item = resourceId(id);
  const { path, otherPath } = pathsOf(client, table);
  const read = (from: string): Promise<WireObject> =>
    client.read(operation, `${from}/${item}`, maxBytes);
  const body = await read(path).catch((error: unknown) => {
    if (otherPath === null || !isMissing(error)) throw error;
    return read(otherPath).catch((other: unknown) => {
      throw isFailure(other) ? other : error;
    });
  });
  const envelope = expectEnvelope(operation, body, id, ...table.types);
  return readResource(table, { ...envelope, latest: client.clock.latestTime() });
}

/** Returns the path at which a resource is created, and the other path at which it may be. */
function pathsOf(
  { settings }: PlatformClient,
  { path, version }: ResourceTable,
): { path: string; otherPath: string | null } {
  if (version === undefined) return { path, otherPath: null };
  const configured = settings.current.apiVersions[version];
  const at = (version: string): string => path.replace('{version}', version);
  return { path: at(configured), otherPath: at(configured === 'v1' ? 'v2' : 'v1') };
}

function isMissing(error: unknown): boolean {
  return error instanceof PlatformRejectedError && error.status === 404;
}

/** True when an answer says nothing. A platform that refuses the other version in any way, or shows no resource, does not have it there. */
function isFailure(error: unknown): boolean {
  return (
    !(error instanceof PlatformError) ||
    error instanceof PlatformUnavailableError ||
    error instanceof PlatformRateLimitedError
  );
}
