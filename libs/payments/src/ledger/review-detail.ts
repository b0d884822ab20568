/** Longest text of one contradiction: a text of the platform must not grow a row without limit. */
const LONGEST = 500;

/** The text of a contradiction as it is stored and compared: one line, whatever the platform wrote. */
export function reviewDetail(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, LONGEST);
}
