import {
  applyDecorators,
  Controller,
  UseGuards,
  VERSION_NEUTRAL,
  type CanActivate,
  type Type,
} from '@nestjs/common';

/** Where the pages of one dashboard are, and who may see them. */
export interface RoutesPlace {
  path: string;
  guards: readonly (Type<CanActivate> | CanActivate)[];
}

/** A controller of pages: its class is made anew for each dashboard, since path and guards are properties of a class. */
export function DashboardRoutes({ path, guards }: RoutesPlace): ClassDecorator {
  return applyDecorators(Controller({ path, version: VERSION_NEUTRAL }), UseGuards(...guards));
}
