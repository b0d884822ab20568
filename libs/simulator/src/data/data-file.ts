import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { types } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import type { PlatformServices } from '../platform-services.js';
import { InvalidOptionError } from '../simulator.errors.js';

/** The data of some services, in their order. Each entry has the fields of one service. */
type Fields = Record<string, unknown>[];

interface SavedData {
  readonly version: typeof VERSION;
  readonly shared: Fields;
  readonly merchants: ReadonlyMap<string, Fields>;
}

const VERSION = 1;

/**
 * Writes the data of the platform. It is one call of `serialize`, so that two services that share an object share it again after reading.
 * @throws InvalidOptionError if the file cannot be written
 */
export function writeData(file: string, services: PlatformServices): void {
  const data: SavedData = {
    version: VERSION,
    shared: services.keepers().map(fieldsOf),
    merchants: new Map(
      services.list().map(({ merchant, keepers }) => [merchant.name, keepers().map(fieldsOf)]),
    ),
  };
  try {
    writeFileSync(`${file}.new`, serialize(data), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InvalidOptionError('dataFile', `cannot be written (${code}): ${file}`);
  }
}

/** Gives the data of another platform to a new one. Data of merchants that the new one does not have is left out. */
export function readData(file: string, services: PlatformServices): void {
  if (!existsSync(file)) return;
  const data = parsed(file);
  restore(services.keepers(), data.shared);
  for (const { merchant, keepers } of services.list())
    restore(keepers(), data.merchants.get(merchant.name) ?? []);
}

function parsed(file: string): SavedData {
  try {
    const data = deserialize(readFileSync(file)) as Partial<SavedData> | null;
    if (data?.version === VERSION) return data as SavedData;
  } catch {
    // The error below covers this case too.
  }
  throw new InvalidOptionError('dataFile', `is no data of this version: delete ${file}`);
}

/** Returns the fields of a service that are data. The other fields connect it with other services. */
function fieldsOf(service: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(service).filter(
      ([, value]) => types.isMap(value) || types.isSet(value) || Array.isArray(value),
    ),
  );
}

function restore(services: readonly object[], fields: Fields): void {
  for (const [index, saved] of fields.entries()) Object.assign(services[index]!, saved);
}
