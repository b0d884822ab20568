export type FigureName = 'outcome' | 'reasons' | 'time' | 'sources' | 'deliveries' | 'backlog';

/** The data of a chart. The page shows it as a table too. */
export interface Figure {
  name: FigureName;
  title: string;
  /** The main result in one sentence: the caption, and the text alternative of the chart. */
  summary: string;
  kind: 'doughnut' | 'bars' | 'line';
  labels: string[];
  /** Shorter labels for the axis of the chart. */
  ticks?: string[];
  values: number[];
  /** The values as text, with units. */
  texts: string[];
  /** Names of the two columns of the table. */
  columns: readonly [string, string];
  /** Unit of the values, for the axis of the chart. Without it the values are counts. */
  unit?: string;
  /** Colour of each part. Without it all parts have the same colour. */
  tones?: string[];
}
