import type { CanActivate, Type } from '@nestjs/common';
import { DEFAULT_PATH } from '../dashboard.constants.js';
import { DashboardConfigurationError } from '../dashboard.errors.js';
import { UNGUARDED, type PaymentsDashboardExtras } from '../dashboard.options.js';

/** The settings of a dashboard that Nest needs before it creates providers. */
export interface DashboardSettings {
  /** Without leading and trailing slashes. */
  path: string;
  guards: readonly (Type<CanActivate> | CanActivate)[];
}

/** Plain segments between slashes. Router patterns such as `:id` or `*` are refused. */
const PATH = /^[\w.~-]+(\/[\w.~-]+)*$/;

/** @throws DashboardConfigurationError that names each wrong setting */
export function readSettings(extras: PaymentsDashboardExtras): DashboardSettings {
  const path = (extras.path ?? DEFAULT_PATH).replace(/^\/+|\/+$/g, '');
  const guards = extras.guards ?? [];
  const problems = [...pathProblems(path), ...guardProblems(guards, extras.unguarded)];
  if (problems.length > 0) throw new DashboardConfigurationError(problems);
  return { path, guards };
}

function pathProblems(path: string): string[] {
  if (PATH.test(path)) return [];
  return [
    `path "${path}" is not a valid path: use letters, digits, -, and / between segments, such as ` +
      `PaymentsDashboardModule.forRoot({ path: '${DEFAULT_PATH}', ... })`,
  ];
}

function guardProblems(guards: readonly unknown[], unguarded: unknown): string[] {
  if (!Array.isArray(guards) || guards.some((guard) => !isGuard(guard))) {
    return [
      'guards must be a list of guards, classes or instances with canActivate(): guards: [OperatorsGuard]. ' +
        'A guard that is undefined here may be part of a circular import',
    ];
  }
  if (unguarded !== undefined && unguarded !== UNGUARDED) {
    return [
      `unguarded has an unknown value: write unguarded: '${UNGUARDED}', or remove it and set guards`,
    ];
  }
  if (guards.length > 0 && unguarded !== undefined) {
    return ['guards and unguarded contradict each other: remove unguarded'];
  }
  if (guards.length > 0 || unguarded === UNGUARDED) return [];
  return [
    'guards is empty, but the pages show every customer, phone number and payment: set the guards that protect them, ' +
      'PaymentsDashboardModule.forRoot({ guards: [OperatorsGuard] }). If something in front of this application protects the pages, ' +
      `write unguarded: '${UNGUARDED}'`,
  ];
}

function isGuard(guard: unknown): boolean {
  const shape: unknown = typeof guard === 'function' ? guard.prototype : guard;
  return typeof (shape as Partial<CanActivate> | null | undefined)?.canActivate === 'function';
}
