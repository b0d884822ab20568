import type { CanActivate, Type } from '@nestjs/common';
import { DEFAULT_PATH } from '../dashboard.constants.js';
import { DashboardConfigurationError } from '../dashboard.errors.js';
import {
  UNGUARDED,
  UNGUARDED_ACTIONS,
  type PaymentsDashboardExtras,
} from '../dashboard.options.js';

/** The settings of a dashboard that Nest needs before it creates providers. */
export interface DashboardSettings {
  /** The path has no slash at its beginning or its end. */
  path: string;
  guards: readonly (Type<CanActivate> | CanActivate)[];
  /** The guards of actions, which stand after `guards`; null means that nobody may act. */
  actionGuards: readonly (Type<CanActivate> | CanActivate)[] | null;
}

/** Plain segments between slashes. Router patterns such as `:id` or `*` are refused. */
const PATH = /^[\w.~-]+(\/[\w.~-]+)*$/;

/** @throws DashboardConfigurationError that names each wrong setting */
export function readSettings(extras: PaymentsDashboardExtras): DashboardSettings {
  const path = (extras.path ?? DEFAULT_PATH).replace(/^\/+|\/+$/g, '');
  const guards = extras.guards ?? [];
  const problems = [
    ...pathProblems(path),
    ...guardProblems(guards, extras.unguarded),
    ...actionGuardProblems(extras.actionGuards, extras.unguardedActions),
  ];
  if (problems.length > 0) throw new DashboardConfigurationError(problems);
  const actionGuards = extras.actionGuards ?? (extras.unguardedActions ? [] : null);
  return { path, guards, actionGuards };
}

function pathProblems(path: string): string[] {
  if (PATH.test(path)) return [];
  return [
    `path "${path}" is not a valid path: use letters, digits, -, and / between segments, such as ` +
      `PaymentsDashboardModule.forRoot({ path: '${DEFAULT_PATH}', ... })`,
  ];
}

function guardProblems(guards: readonly unknown[], unguarded: unknown): string[] {
  if (!areGuards(guards)) {
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

function actionGuardProblems(guards: unknown, unguarded: unknown): string[] {
  if (unguarded !== undefined && unguarded !== UNGUARDED_ACTIONS) {
    return [
      `unguardedActions has an unknown value: write unguardedActions: '${UNGUARDED_ACTIONS}', or remove it and set actionGuards`,
    ];
  }
  if (guards === undefined) return [];
  if (!areGuards(guards)) {
    return [
      'actionGuards must be a list of guards, classes or instances with canActivate(): actionGuards: [MayMoveMoneyGuard]. ' +
        'A guard that is undefined here may be part of a circular import',
    ];
  }
  if (guards.length > 0 && unguarded !== undefined) {
    return ['actionGuards and unguardedActions contradict each other: remove unguardedActions'];
  }
  if (guards.length > 0 || unguarded !== undefined) return [];
  return [
    'actionGuards is empty, so it does not say who may move money: set the guards that decide it, actionGuards: [MayMoveMoneyGuard], ' +
      `or remove it, then the pages are read-only. If everyone may who can see the pages, write unguardedActions: '${UNGUARDED_ACTIONS}'`,
  ];
}

function areGuards(guards: unknown): guards is readonly unknown[] {
  return Array.isArray(guards) && guards.every(isGuard);
}

function isGuard(guard: unknown): boolean {
  const shape: unknown = typeof guard === 'function' ? guard.prototype : guard;
  return typeof (shape as Partial<CanActivate> | null | undefined)?.canActivate === 'function';
}
