export type Row = Record<string, string>;
export function pairwise(factors: Record<string, readonly string[]>): Row[];
export function pairsOf(row: Row, names?: readonly string[]): string[];
