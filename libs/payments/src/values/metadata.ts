export type MetadataValue = string | number | boolean | null;

/** The host's own notes on a payment, sent and echoed unchanged: at most 5 keys (spec 8.1). */
export type Metadata = Record<string, MetadataValue>;

export const MAX_METADATA_KEYS = 5;

/** What is wrong with metadata, in words with the cure; null when it is good. */
export function metadataProblem(metadata: unknown): string | null {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    return 'must be an object of keys and plain values';
  }
  const entries = Object.entries(metadata);
  if (entries.length > MAX_METADATA_KEYS) {
    return `has ${entries.length} keys; the platform takes ${MAX_METADATA_KEYS} at most`;
  }
  const wrong = entries.find(([, value]) => !isMetadataValue(value));
  return wrong
    ? `has a value at "${wrong[0]}" that is not a string, finite number, boolean or null`
    : null;
}

function isMetadataValue(value: unknown): value is MetadataValue {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}
