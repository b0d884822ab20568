import { PlatformResponseError } from '../payments.errors.js';
import { isIdentifier } from '../money/identifier.js';
import { sealUrlMacs } from '../work/url-mac-sealing.js';
import type { ResourceEnvelope } from '../money/resource-envelope.js';
import { wireName, wireObject, wireText } from './wire-value.js';

/** Reads an envelope; null when the body is not a resource. @param latest see `timestampOf` */
export function readEnvelope(body: unknown, latest?: number): ResourceEnvelope | null {
  const raw = wireObject(wireObject(body)?.['data']);
  const attributes = wireObject(raw?.['attributes']);
  const type = wireName(raw?.['type']);
  if (!raw || !attributes || !isIdentifier(raw['id']) || type === null) return null;
  const links = wireObject(attributes['_links']);
  if (links && typeof links['callback_url'] === 'string') {
    links['callback_url'] = sealUrlMacs(links['callback_url']);
  }
  return {
    id: raw['id'],
    type,
    attributes,
    links: { callbackUrl: wireText(links?.['callback_url']), self: wireText(links?.['self']) },
    ...(latest !== undefined && { latest }),
    raw,
  };
}

/**
 * @param types the names that the platform uses for the type; any type when there are none
 * @throws PlatformResponseError when the answer is not the requested resource
 */
export function expectEnvelope(
  operation: string,
  body: unknown,
  id: string,
  ...types: readonly string[]
): ResourceEnvelope {
  const envelope = readEnvelope(body);
  if (!envelope)
    throw new PlatformResponseError(
      operation,
      200,
      'its body is no resource with id, type and attributes.',
    );
  if (envelope.id !== id)
    throw new PlatformResponseError(operation, 200, 'it describes another resource.');
  if (types.length > 0 && !types.includes(envelope.type)) {
    throw new PlatformResponseError(operation, 200, `its type is not "${types[0]}".`);
  }
  return envelope;
}
