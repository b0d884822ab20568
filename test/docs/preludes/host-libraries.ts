/** The shape of TypeORM, as far as pages show it. npm run test:hosts runs TypeORM itself. */
export declare class DataSource {
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T>;
  createQueryRunner(): unknown;
}

export interface EntityManager {
  query(text: string, values?: unknown[]): Promise<unknown>;
  save<Entity>(entity: Entity): Promise<Entity>;
  increment<Entity>(
    target: new () => Entity,
    conditions: Partial<Entity>,
    column: keyof Entity & string,
    by: number,
  ): Promise<unknown>;
}
