import { PAGE_HEADERS } from '@tillkit/pages';
import type { NextFunction, Request, Response } from 'express';

/** The headers allow no inline code and nothing from other origins, and other sites do not see the secret address of an order. */
export function securityHeaders(_request: Request, response: Response, next: NextFunction): void {
  // No cache may keep the page of a customer's order.
  response.set({ ...PAGE_HEADERS, 'Cache-Control': 'no-store' });
  next();
}
