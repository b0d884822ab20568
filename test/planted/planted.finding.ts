/** Says whether a harness found a planted fault. */
export interface Finding {
  isFound: boolean;
  /** Names what found it, or says why nothing did. */
  detail: string;
}
