import {
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { RouteDecorator } from '@tillkit/payments/types';
import { map } from 'rxjs';

/** Returns the host's decorator for routes without its token. */
export const Public = (): RouteDecorator => SetMetadata('isPublic', true) as RouteDecorator;

/** A guard of the host's API: it lets only those routes pass whose method is `@Public()`. */
@Injectable()
export class ApiGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    return this.reflector.get<boolean | undefined>('isPublic', context.getHandler()) === true;
  }
}

/** A host's interceptor that wraps every answer. */
export class WrappingInterceptor implements NestInterceptor {
  intercept(_: ExecutionContext, next: Parameters<NestInterceptor['intercept']>[1]) {
    return next.handle().pipe(map((data: unknown) => ({ wrapped: data })));
  }
}
