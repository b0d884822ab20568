import { applyDecorators, Header } from '@nestjs/common';

/** A page of somebody's order, or of money as it stands now: no cache may keep it. */
export function HtmlPage(): MethodDecorator {
  return applyDecorators(
    Header('Content-Type', 'text/html; charset=utf-8'),
    Header('Cache-Control', 'no-store'),
  );
}
