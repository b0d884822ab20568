/** The shape of database libraries of hosts, as far as pages show it. npm run test:hosts runs the libraries themselves. */
import type { QueryResultRow } from 'pg';

interface Rows {
  readonly rows: QueryResultRow[];
}

/** This class stands for TypeORM. */
export interface DataSource {
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T>;
}

interface EntityManager {
  query(text: string, values?: unknown[]): Promise<unknown>;
  save<Entity>(entity: Entity): Promise<Entity>;
  insert<Entity>(target: new () => Entity, entity: Entity): Promise<unknown>;
  increment<Entity>(
    target: new () => Entity,
    conditions: Partial<Entity>,
    column: keyof Entity & string,
    by: number,
  ): Promise<unknown>;
}

export interface Kysely {
  transaction(): { execute<T>(work: (trx: KyselyTransaction) => Promise<T>): Promise<T> };
}

interface KyselyTransaction {
  insertInto(table: string): { values(row: object): { execute(): Promise<unknown> } };
  executeQuery(query: object): Promise<Rows>;
}

export declare const CompiledQuery: { raw(text: string, values?: unknown[]): object };

export interface Drizzle {
  transaction<T>(work: (tx: DrizzleTransaction) => Promise<T>): Promise<T>;
}

interface DrizzleTransaction {
  insert(table: object): { values(row: object): Promise<unknown> };
  execute(query: object): Promise<Rows>;
}

export declare const sql: {
  (texts: TemplateStringsArray, ...values: unknown[]): object;
  raw(text: string): object;
  join(chunks: object[]): object;
};
