import type { ServerResponse } from 'node:http';

/** Returns the response of Node. Express gives it directly, and the reply of Fastify contains it. */
export function rawResponse(response: object): ServerResponse {
  return 'raw' in response ? (response.raw as ServerResponse) : (response as ServerResponse);
}
