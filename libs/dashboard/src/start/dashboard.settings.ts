import type { CanActivate, Type } from '@nestjs/common';
import { DEFAULT_ACCOUNT, DEFAULT_PATH } from '../dashboard.constants.js';
import { DashboardConfigurationError } from '../dashboard.errors.js';
import { UNGUARDED, type PaymentsDashboardExtras } from '../dashboard.options.js';

/** What is known of a dashboard before anything is made of it. */
export interface DashboardSettings {
  /** Without slashes around it. */
  path: string;
  account: string;
  guards: readonly (Type<CanActivate> | CanActivate)[];
}

/** Plain words between slashes: what means something to a router (`:id`, `*`) is no place for pages. */
const PATH = /^[\w.~-]+(\/[\w.~-]+)*$/;

/** @throws DashboardConfigurationError naming each setting that is wrong */
export function readSettings(extras: PaymentsDashboardExtras): DashboardSettings {
  const path = (extras.path ?? DEFAULT_PATH).replace(/^\/+|\/+$/g, '');
  const guards = extras.guards ?? [];
  const problems = [...pathProblems(path), ...guardProblems(guards, extras.unguarded)];
  if (problems.length > 0) throw new DashboardConfigurationError(problems);
  return { path, account: extras.account ?? DEFAULT_ACCOUNT, guards };
}

function pathProblems(path: string): string[] {
  if (PATH.test(path)) return [];
  return [
    `path "${path}" is no place for pages: give them one of their own, of letters, digits, - and /, such as ` +
      `PaymentsDashboardModule.forRoot({ path: '${DEFAULT_PATH}', ... })`,
  ];
}

function guardProblems(guards: readonly unknown[], unguarded: unknown): string[] {
  if (!Array.isArray(guards) || guards.some((guard) => !isGuard(guard))) {
    return [
      'guards must be a list of guards, classes or instances with canActivate(): guards: [OperatorsGuard]. ' +
        'One that is undefined here was perhaps imported in a circle',
    ];
  }
  if (unguarded !== undefined && unguarded !== UNGUARDED) {
    return [
      `unguarded does not say what it must: write unguarded: '${UNGUARDED}', or leave it out and give guards`,
    ];
  }
  if (guards.length > 0 && unguarded !== undefined) {
    return ['guards and unguarded contradict each other: leave unguarded out'];
  }
  if (guards.length > 0 || unguarded === UNGUARDED) return [];
  return [
    'guards is empty, and the pages show every customer, phone number and payment: name who may see them, ' +
      'PaymentsDashboardModule.forRoot({ guards: [OperatorsGuard] }). If something in front of this application keeps others out, ' +
      `say so: unguarded: '${UNGUARDED}'`,
  ];
}

function isGuard(guard: unknown): boolean {
  const shape: unknown = typeof guard === 'function' ? guard.prototype : guard;
  return typeof (shape as Partial<CanActivate> | null | undefined)?.canActivate === 'function';
}
