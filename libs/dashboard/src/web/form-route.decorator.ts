import { applyDecorators, Post } from '@nestjs/common';
import { RawRoute } from '@tillkit/payments/internal/routes';

/** The maximum size of a form, in bytes. */
const MAX_BYTES = 16 * 1024;

/** Returns a route for a form of the dashboard. It works with any body parser of the host, and with none. */
export function FormRoute(path: string): MethodDecorator {
  return applyDecorators(Post(path), RawRoute({ kind: 'form', maxBytes: MAX_BYTES }));
}
