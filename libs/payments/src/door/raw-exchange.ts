import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { DeliveryHead } from './delivery-route.js';
import type { RawRouteMark } from './raw-route.decorator.js';

/** A request on one of our routes, before any parser of the host. */
export interface RawExchange {
  mark: RawRouteMark;
  params: DeliveryHead['params'];
  request: IncomingMessage;
  response: ServerResponse;
  /** The body; another stream than the request if a hook of the host has replaced it. */
  body: Readable;
}
