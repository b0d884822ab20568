import type pg from 'pg';

/** Fills tables without their secondary indexes, and makes these afterwards: each is sorted once, and not changed for each row. */
export async function withoutIndexes(
  client: pg.Client,
  tables: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index join pg_class on pg_class.oid = indrelid
     where relnamespace = 'tillkit'::regnamespace and relname = any($1) and not indisprimary`,
    [tables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await fill();
  await client.query(`set maintenance_work_mem = '1GB'`);
  for (const { definition } of rows) await client.query(definition);
}
