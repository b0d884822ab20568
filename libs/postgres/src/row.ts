/** A row as this package reads it: each column is the text that the server sent. */
export type Row = Readonly<Record<string, string | null | undefined>>;

/** Returns the text of a column that is never null. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} is missing or null`);
  return value;
}

export function number(row: Row, column: string): number {
  return Number(text(row, column));
}

/** Returns a boolean that the statement cast to text. */
export function boolean(row: Row, column: string): boolean {
  return text(row, column) === 'true';
}

/** Returns a time that the statement selected as epoch milliseconds. */
export function time(row: Row, column: string): Date {
  return new Date(number(row, column));
}

export function optionalTime(row: Row, column: string): Date | null {
  return row[column] == null ? null : time(row, column);
}

/** Returns a `jsonb` column that this package wrote with that type. */
export function json<T>(row: Row, column: string): T {
  return JSON.parse(row[column] ?? 'null') as T;
}

/** Returns a `bytea` column that the statement encoded as hex: `bytea_output` changes what the server sends for the column itself. */
export function bytes(row: Row, column: string): Buffer {
  return Buffer.from(text(row, column), 'hex');
}

/** Returns a column of text that is absent from the record when it is null. */
export function optional<Column extends string>(
  column: Column,
  row: Row,
): { [name in Column]?: string } {
  const value = row[column];
  return typeof value === 'string' ? ({ [column]: value } as { [name in Column]: string }) : {};
}
