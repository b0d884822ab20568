import 'reflect-metadata';
import type { FactoryProvider, InjectionToken, Provider, Type } from '@nestjs/common';
import { PaymentsCoreModule } from '../../libs/payments/src/payments-core.module.js';
import { PaymentsModule } from '../../libs/payments/src/payments.module.js';

/** How one object is made from others. */
interface Recipe {
  token: InjectionToken;
  needs: readonly InjectionToken[];
  make: (needs: unknown[]) => unknown;
}

/** What Nest itself would call when an application starts. */
interface Started {
  onModuleInit?: () => unknown;
  onApplicationBootstrap?: () => unknown;
  onModuleDestroy?: () => unknown;
}

/**
 * The object graph of one process without Nest's container: the providers that PaymentsModule and PaymentsCoreModule list, made in an
 * order in which each finds what it needs, by the metadata that Nest reads. A changed constructor needs no change here.
 */
export class ReplicaGraph {
  private readonly recipes: readonly Recipe[];

  /** @param replaced tokens whose objects each process brings itself, or has no use for */
  constructor(
    options: Parameters<typeof PaymentsModule.forRoot>[0],
    private readonly replaced: readonly InjectionToken[],
  ) {
    const shared = Reflect.getMetadata('providers', PaymentsCoreModule) as Provider[];
    const listed = new Map<InjectionToken, Recipe>();
    for (const provider of [...shared, ...(PaymentsModule.forRoot(options).providers ?? [])]) {
      const recipe = recipeOf(provider);
      if (!replaced.includes(recipe.token)) listed.set(recipe.token, recipe);
    }
    this.recipes = inOrder(listed, replaced);
  }

  /** Makes every object; what a process brings itself is given by its token. */
  make(own: ReadonlyMap<InjectionToken, unknown>): Map<InjectionToken, unknown> {
    const made = new Map(own);
    for (const { token, needs, make } of this.recipes) {
      made.set(token, make(needs.map((need) => made.get(need))));
    }
    return made;
  }

  /** The lifecycle hooks in the order of the providers, all begun at once, as Nest does within a module. */
  async start(made: ReadonlyMap<InjectionToken, unknown>): Promise<void> {
    const parts = partsOf(made);
    await Promise.all(parts.map(async (part) => part.onModuleInit?.()));
    await Promise.all(parts.map(async (part) => part.onApplicationBootstrap?.()));
  }

  /** The other end of a life. Only one after the other is as slow as it can be. */
  async stop(made: ReadonlyMap<InjectionToken, unknown>): Promise<void> {
    for (const part of partsOf(made)) await part.onModuleDestroy?.();
  }
}

function partsOf(made: ReadonlyMap<InjectionToken, unknown>): Started[] {
  return [...new Set(made.values())].filter(
    (part): part is Started => typeof part === 'object' && part !== null,
  );
}

function recipeOf(provider: Provider): Recipe {
  if (typeof provider === 'function') return classRecipe(provider, provider as Type);
  if ('useClass' in provider) return classRecipe(provider.provide, provider.useClass);
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

function classRecipe(token: InjectionToken, type: Type): Recipe {
  const types = (Reflect.getMetadata('design:paramtypes', type) ?? []) as InjectionToken[];
  const named = (Reflect.getMetadata('self:paramtypes', type) ?? []) as {
    index: number;
    param: InjectionToken;
  }[];
  const needs = [...types];
  for (const { index, param } of named) needs[index] = param;
  return { token, needs, make: (made) => new type(...made) as unknown };
}

/** Depth first. What nobody lists stays undefined if its class allows it, as `@Optional()` does. */
function inOrder(
  listed: ReadonlyMap<InjectionToken, Recipe>,
  replaced: readonly InjectionToken[],
): Recipe[] {
  const done = new Set<InjectionToken>(replaced);
  const ordered: Recipe[] = [];
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
