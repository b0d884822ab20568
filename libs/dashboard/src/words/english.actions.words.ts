import type { Html } from '@tillkit/pages';
import { html } from '@tillkit/pages';

const receives = {
  succeeded: 'Paid',
  failed: 'Not paid',
  reversed: 'Paid, and the money went back',
};

/** What a person can decide about an operation in review, by its kind. */
export const reviewOutcomes = {
  payment: receives,
  payment_link: receives,
  refund: { succeeded: 'The money went back', failed: 'The money did not go back' },
  payout: {
    succeeded: 'All destinations were paid',
    partially_succeeded: 'Some destinations were paid',
    failed: 'No destination was paid',
  },
};

/** What all actions have. */
export const actions = {
  /** @param option the name of the option */
  readOnly: (option: Html) =>
    html`These pages are read-only. Operators can act here when the dashboard has the option
    ${option}.`,
};

/** What a person can do with an operation of any kind. */
export const operation = {
  readStatus: 'Read its status now',
  /** In the history of the operation. */
  readNote: 'asked the platform for the status',
  note: 'Note for the timeline',
  writeNote: 'Write the note',
};
