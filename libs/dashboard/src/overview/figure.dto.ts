export type FigureName = 'volume' | 'rate' | 'time' | 'reasons' | 'sources' | 'deliveries';

/** The data of a chart. The page shows it as a table too. */
export interface Figure {
  name: FigureName;
  title: string;
  /** The main result in one sentence: the caption, and the text alternative of the chart. */
  summary: string;
  /** Bars are horizontal, columns are vertical. Lines differ in their strokes, and not only in their colours. */
  kind: 'bars' | 'columns' | 'lines';
  labels: string[];
  /** Shorter labels for the axis of the chart. */
  ticks?: string[];
  series: readonly FigureSeries[];
  /** Name of the first column of the table. */
  labelName: string;
  /** Unit of the values, for the axis of the chart. Without it the values are counts. */
  unit?: string;
}

export interface FigureSeries {
  name: string;
  /** Null where there is nothing to show. */
  values: (number | null)[];
  /** The values as text, with units. */
  texts: string[];
}
