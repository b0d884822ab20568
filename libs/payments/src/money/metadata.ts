/** A value in metadata; a number must be finite. @publicApi */
export type MetadataValue = string | number | boolean | null;

/**
 * The host's own data on a payment: at most 5 keys. The platform sends them back unchanged with the result.
 * @see docs/conformance.md#incoming-payments
 * @publicApi
 */
export type Metadata = Record<string, MetadataValue>;

export const MAX_METADATA_KEYS = 5;

/** The error text for wrong metadata; null when it is valid. */
export function metadataProblem(metadata: unknown): string | null {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    return 'must be an object of keys and plain values';
  }
  const entries = Object.entries(metadata);
  if (entries.length > MAX_METADATA_KEYS) {
    return `has ${entries.length} keys; the platform accepts ${MAX_METADATA_KEYS} at most`;
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

/** Whether two sets of metadata are equal, in whatever order their keys are. No metadata equals empty metadata. */
export function isSameMetadata(one: Metadata | null, other: Metadata | null): boolean {
  const canonical = (metadata: Metadata | null): string =>
    JSON.stringify(
      Object.entries(metadata ?? {}).sort(([first], [second]) => (first < second ? -1 : 1)),
    );
  return canonical(one) === canonical(other);
}
