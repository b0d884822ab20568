import { RequestMethod, type INestApplication } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService } from '@nestjs/core';

/** One route of a dashboard, below its path. */
export interface DashboardRoute {
  method: 'GET' | 'POST';
  path: string;
}

/** Returns the routes of the dashboard of an application, as Nest has them. */
export function routesOfDashboard(app: INestApplication): DashboardRoute[] {
  const classes = app
    .get(DiscoveryService, { strict: false })
    .getControllers()
    .map(({ metatype }) => metatype as { name: string; prototype: object })
    .filter(({ name }) => name.startsWith('PaymentsDashboard'));
  return classes.flatMap(({ prototype }) =>
    Object.getOwnPropertyNames(prototype)
      .map((name) => Object.getOwnPropertyDescriptor(prototype, name)?.value as object)
      .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
      .flatMap((handler) => {
        const method = RequestMethod[
          Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod
        ] as 'GET' | 'POST';
        const paths = [Reflect.getMetadata(PATH_METADATA, handler) as string | string[]].flat();
        return paths.map((path) => ({ method, path: `/${path}`.replace(/^\/+/, '/') }));
      }),
  );
}

export function nameOfRoute({ method, path }: DashboardRoute): string {
  return `${method} ${path}`;
}
