import 'reflect-metadata';
import type { FactoryProvider, InjectionToken, Provider, Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PaymentsCoreModule, PaymentsModule } from '../../libs/payments/src/payments.module.js';

interface ProviderRecipe {
  token: InjectionToken;
  needs: readonly InjectionToken[];
  make: (needs: unknown[]) => unknown;
}

/** The lifecycle hooks that Nest calls. */
interface LifecycleHooks {
  onModuleInit?: () => unknown;
  onApplicationBootstrap?: () => unknown;
  onModuleDestroy?: () => unknown;
}

/**
 * The object graph of one process without Nest's container. It makes the providers of `PaymentsModule` and `PaymentsCoreModule`
 * in the order of their dependencies, from the metadata that Nest reads. A changed constructor needs no change here.
 */
export class ReplicaGraph {
  private readonly recipes: readonly ProviderRecipe[];

  /** @param replaced tokens that each process provides itself or does not need */
  constructor(
    options: Parameters<typeof PaymentsModule.forRoot>[0],
    private readonly replaced: readonly InjectionToken[],
  ) {
    const shared = providersOf(PaymentsCoreModule);
    const listed = new Map<InjectionToken, ProviderRecipe>();
    for (const provider of [...shared, ...(PaymentsModule.forRoot(options).providers ?? [])]) {
      const recipe = recipeOf(provider);
      if (!replaced.includes(recipe.token)) listed.set(recipe.token, recipe);
    }
    this.recipes = inOrder(listed, replaced);
  }

  /** Makes every object. `own` has the objects that the process provides itself. */
  make(own: ReadonlyMap<InjectionToken, unknown>): Map<InjectionToken, unknown> {
    const made = new Map(own);
    for (const { token, needs, make } of this.recipes) {
      made.set(token, make(needs.map((need) => made.get(need))));
    }
    return made;
  }

  /** Calls the start hooks in the order of the providers, concurrently, as Nest does within a module. */
  async start(made: ReadonlyMap<InjectionToken, unknown>): Promise<void> {
    const parts = partsOf(made);
    await Promise.all(parts.map(async (part) => part.onModuleInit?.()));
    await Promise.all(parts.map(async (part) => part.onApplicationBootstrap?.()));
  }

  /** Calls the destroy hooks one after the other, which is the slowest possible shutdown. */
  async stop(made: ReadonlyMap<InjectionToken, unknown>): Promise<void> {
    for (const part of partsOf(made)) await part.onModuleDestroy?.();
  }
}

/** Returns the providers of a module and of those that it imports, each once. */
function providersOf(module: Type, seen = new Set<Type>()): Provider[] {
  if (seen.has(module)) return [];
  seen.add(module);
  const read = <T>(key: string): T[] => (Reflect.getMetadata(key, module) ?? []) as T[];
  // The simulation replaces the module that finds the listeners of a host.
  const imported = read<Type>('imports').filter(
    (other) => typeof other === 'function' && other !== DiscoveryModule,
  );
  return [...imported.flatMap((other) => providersOf(other, seen)), ...read<Provider>('providers')];
}

function partsOf(made: ReadonlyMap<InjectionToken, unknown>): LifecycleHooks[] {
  return [...new Set(made.values())].filter(
    (part): part is LifecycleHooks => typeof part === 'object' && part !== null,
  );
}

function recipeOf(provider: Provider): ProviderRecipe {
  if (typeof provider === 'function') return classProviderRecipe(provider, provider as Type);
  if ('useClass' in provider) return classProviderRecipe(provider.provide, provider.useClass);
  if ('useValue' in provider) {
    const { useValue } = provider as { useValue: unknown };
    return { token: provider.provide, needs: [], make: () => useValue };
  }
  if ('useExisting' in provider) {
    const { useExisting } = provider as { useExisting: InjectionToken };
    return { token: provider.provide, needs: [useExisting], make: ([existing]) => existing };
  }
  const { useFactory, inject = [] } = provider as FactoryProvider<unknown>;
  return {
    token: provider.provide,
    needs: inject.map((need) =>
      typeof need === 'object' && 'token' in need ? need.token : (need as InjectionToken),
    ),
    make: (needs) => useFactory(...(needs as never[])),
  };
}

function classProviderRecipe(token: InjectionToken, type: Type): ProviderRecipe {
  const types = (Reflect.getMetadata('design:paramtypes', type) ?? []) as InjectionToken[];
  const named = (Reflect.getMetadata('self:paramtypes', type) ?? []) as {
    index: number;
    param: InjectionToken;
  }[];
  const needs = [...types];
  for (const { index, param } of named) needs[index] = param;
  return { token, needs, make: (made) => new type(...made) as unknown };
}

/** Sorts recipes so that dependencies come first (depth-first). */
function inOrder(
  listed: ReadonlyMap<InjectionToken, ProviderRecipe>,
  replaced: readonly InjectionToken[],
): ProviderRecipe[] {
  const done = new Set<InjectionToken>(replaced);
  const ordered: ProviderRecipe[] = [];
  const visit = (token: InjectionToken, path: readonly string[]): void => {
    if (done.has(token)) return;
    const recipe = listed.get(token);
    const name = typeof token === 'function' ? token.name : String(token);
    if (!recipe) {
      throw new Error(`the graph of a replica lacks ${name}, needed by ${path.join(' < ')}`);
    }
    if (path.includes(name)) throw new Error(`${name} needs itself: ${path.join(' < ')}`);
    for (const need of recipe.needs) visit(need, [name, ...path]);
    done.add(token);
    ordered.push(recipe);
  };
  for (const token of listed.keys()) visit(token, []);
  return ordered;
}
