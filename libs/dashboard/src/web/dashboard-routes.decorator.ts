import {
  applyDecorators,
  Controller,
  UseGuards,
  VERSION_NEUTRAL,
  type CanActivate,
  type Type,
} from '@nestjs/common';
import type { RouteDecorator } from '@tillkit/payments/types';

/** The path of one dashboard's pages, the guards before them, and the host's decorators of their routes. */
export interface RoutesOptions {
  path: string;
  guards: readonly (Type<CanActivate> | CanActivate)[];
  decorators: readonly RouteDecorator[];
}

/** Decorates a controller of pages. Each dashboard has its own class, because path and guards are metadata of a class. */
export function DashboardRoutes({ path, guards, decorators }: RoutesOptions): ClassDecorator {
  return applyDecorators(
    Controller({ path, version: VERSION_NEUTRAL }),
    UseGuards(...guards),
    ...decorators.map(everywhere),
  );
}

/** Decorates the class and its methods, because some guards read only the metadata of the method. */
function everywhere(decorate: RouteDecorator): ClassDecorator {
  return (controller) => {
    decorate(controller);
    const prototype = controller.prototype as object;
    for (const method of Object.getOwnPropertyNames(prototype)) {
      if (method === 'constructor') continue;
      const descriptor = Object.getOwnPropertyDescriptor(prototype, method) as PropertyDescriptor;
      decorate(prototype, method, descriptor);
      Object.defineProperty(prototype, method, descriptor);
    }
  };
}
