import {
  applyDecorators,
  Controller,
  UseGuards,
  VERSION_NEUTRAL,
  type CanActivate,
  type Type,
} from '@nestjs/common';

/** The path of one dashboard's pages, and the guards before them. */
export interface RoutesOptions {
  path: string;
  guards: readonly (Type<CanActivate> | CanActivate)[];
}

/** Decorates a controller of pages. Each dashboard has its own class, because path and guards are metadata of a class. */
export function DashboardRoutes({ path, guards }: RoutesOptions): ClassDecorator {
  return applyDecorators(Controller({ path, version: VERSION_NEUTRAL }), UseGuards(...guards));
}
