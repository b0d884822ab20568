import type { PayoutRecord } from './payout.js';

/** The redaction of one recipient changes these fields of a payout. */
export type WithoutRecipient = Pick<
  PayoutRecord,
  'recipients' | 'metadata' | 'requestedBy' | 'outcome'
>;

/** Returns a payout to several, without the recipients that are chosen: the others keep their data, and all keep type, amount and state. */
export function withoutRecipient(
  { recipients, metadata, requestedBy, outcome }: WithoutRecipient,
  isChosen: (value: unknown) => boolean,
): WithoutRecipient {
  return {
    recipients: recipients.map((recipient) => (isChosen(recipient) ? null : recipient)),
    metadata: isChosen(metadata) ? null : metadata,
    requestedBy: isChosen(requestedBy) ? null : requestedBy,
    outcome:
      outcome?.map((each, index) =>
        isChosen(recipients[index]) || isChosen(each) ? { ...each, errors: [] } : each,
      ) ?? null,
  };
}
