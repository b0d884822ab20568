/** The exact bytes of a request on one of our routes, or `consumed` when a parser of the host read them before us. */
export type RawBody = { bytes: Buffer } | { refused: 'consumed' };

const RAW_BODY = Symbol('tillkit:raw-body');

/** Keeps the bytes on the request. */
export function keepRawBody(request: object, body: RawBody): void {
  (request as { [RAW_BODY]?: RawBody })[RAW_BODY] = body;
}

/** The bytes of a request of Express or Fastify; undefined when it did not come through our routes. */
export function rawBodyOf(request: object): RawBody | undefined {
  const original = (request as { raw?: object }).raw ?? request;
  return (original as { [RAW_BODY]?: RawBody })[RAW_BODY];
}
