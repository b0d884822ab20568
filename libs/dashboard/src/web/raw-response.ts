import type { ServerResponse } from 'node:http';

/** The response of Node: that of Express is one, and the reply of Fastify has one. */
export function rawResponse(response: object): ServerResponse {
  return 'raw' in response ? (response.raw as ServerResponse) : (response as ServerResponse);
}
