import type { FaultSubject } from '../faults/fault-subject.js';
import type { BodySchema } from './body.dto.js';
import { Refusal } from './platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from './platform-exchange.dto.js';
import type { RequestPipeline } from './request-pipeline.service.js';

/** A create request that was checked. */
export interface Creation {
  /** Faults match a create by this and by its resource. */
  readonly subject?: FaultSubject;
  /** Carries the create out. @returns the new item */
  commit(
    exchange: PlatformExchange,
    subject: FaultSubject,
  ): { readonly id: string } | Promise<{ readonly id: string }>;
}

/** Reads the items of a resource. */
export interface ResourceView<Item> {
  /** Faults match an item by this and by its resource. */
  identityOf(item: Item): FaultSubject;
  /** Returns the JSON text of an item. */
  read(item: Item, subject: FaultSubject): string;
}

/** One resource of the API: it can be created and read. */
export interface ApiResource<Body, Item> {
  readonly path: string;
  /** A refusal calls an item by this name. */
  readonly name: string;
  readonly schema: BodySchema | ((body: Readonly<Record<string, unknown>>) => BodySchema);
  readonly view: ResourceView<Item>;
  /** Checks the rules that the schema cannot express, and changes nothing. @throws Refusal */
  check(body: Body): Creation;
  find(id: string): Item | undefined;
}

/** Returns the endpoints of a resource: create and read. */
export function resourceRoutes<Body, Item>(
  pipeline: RequestPipeline,
  resource: ApiResource<Body, Item>,
): PlatformRoute[] {
  const { path, view } = resource;
  const name = nameOf(resource);
  return [
    {
      method: 'POST',
      path,
      async handle(exchange) {
        pipeline.authorise(exchange, name);
        const body = pipeline.readBody<Body>(exchange, resource.schema);
        const creation = resource.check(body);
        const subject = { resource: name, ...creation.subject };
        return pipeline.create(exchange, subject, async () => {
          const { id } = await creation.commit(exchange, subject);
          return `${path}/${id}`;
        });
      },
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      async handle(exchange) {
        const item = findOrRefuse(pipeline, exchange, resource);
        const subject = { resource: name, ...view.identityOf(item) };
        return pipeline.read(exchange, subject, () => view.read(item, subject));
      },
    },
  ];
}

/** Returns the item that an authorised request names. @throws Refusal */
export function findOrRefuse<Item>(
  pipeline: RequestPipeline,
  exchange: PlatformExchange,
  resource: Pick<ApiResource<never, Item>, 'path' | 'name' | 'find'>,
): Item {
  pipeline.authorise(exchange, nameOf(resource));
  const item = resource.find(exchange.params.id ?? '');
  if (!item) throw new Refusal(404, `The ${resource.name} was not found`);
  return item;
}

/** Returns the last part of the path. Faults and the journal call the resource by it. */
function nameOf({ path }: { readonly path: string }): string {
  return path.split('/').at(-1)!;
}
