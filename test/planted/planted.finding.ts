/** Whether a harness found a planted fault. */
export interface Finding {
  isFound: boolean;
  /** What found it, or why nothing did. */
  detail: string;
}
