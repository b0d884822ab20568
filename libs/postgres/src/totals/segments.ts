/** The lengths for which totals are kept, in minutes, longest first. A day is one in UTC. */
const LENGTHS = [1_440, 60, 15] as const;

type Length = (typeof LENGTHS)[number];

const [DAY, , QUARTER] = LENGTHS;

const MINUTE_MS = 60_000;

/** A part of a span that is read in totals of one length. Times are epoch milliseconds. */
export interface Segment {
  /** Index of the span that this segment belongs to. */
  span: number;
  minutes: Length;
  from: number;
  until: number;
}

/** Returns the spans between boundaries, cut so that each part is read in the longest totals that lie within it: a year is 365 rows, not 35,040. */
export function segmentsOf(boundaries: readonly Date[]): Segment[] {
  // A total belongs to the span in which its quarter of an hour begins.
  const edges = boundaries.map((boundary) => upTo(boundary.getTime(), QUARTER));
  return edges
    .slice(1)
    .flatMap((until, span) =>
      cut(edges[span] as number, until, DAY).map((part) => ({ span, ...part })),
    );
}

function cut(from: number, until: number, minutes: Length): Omit<Segment, 'span'>[] {
  if (from >= until) return [];
  const shorter = LENGTHS[LENGTHS.indexOf(minutes) + 1];
  if (shorter === undefined) return [{ minutes, from, until }];
  const [first, last] = [upTo(from, minutes), downTo(until, minutes)];
  if (first >= last) return cut(from, until, shorter);
  return [
    ...cut(from, first, shorter),
    { minutes, from: first, until: last },
    ...cut(last, until, shorter),
  ];
}

/** Returns the first beginning of a total of this length that is not before a time. */
function upTo(at: number, minutes: Length): number {
  return Math.ceil(at / (minutes * MINUTE_MS)) * minutes * MINUTE_MS;
}

/** Returns the last beginning of a total of this length that is not after a time. */
function downTo(at: number, minutes: Length): number {
  return Math.floor(at / (minutes * MINUTE_MS)) * minutes * MINUTE_MS;
}
