import { PAYMENTS } from './000001.payments.js';
import { WORK } from './000002.work.js';
import { LEDGER_FUNCTIONS } from './000003.ledger-functions.js';
import { CLAIM_FUNCTIONS } from './000004.claim-functions.js';
import { ACKNOWLEDGE_FUNCTIONS } from './000005.acknowledge-functions.js';
import { EFFECTS } from './000006.effects.js';

/** One step of the schema. What was released is never edited: its checksum is in every database that ran it. */
export interface Migration {
  id: number;
  name: string;
  /** `:schema` stands for the quoted name of the schema. */
  sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  { id: 1, name: 'payments', sql: PAYMENTS },
  { id: 2, name: 'work', sql: WORK },
  { id: 3, name: 'ledger-functions', sql: LEDGER_FUNCTIONS },
  { id: 4, name: 'claim-functions', sql: CLAIM_FUNCTIONS },
  { id: 5, name: 'acknowledge-functions', sql: ACKNOWLEDGE_FUNCTIONS },
  { id: 6, name: 'effects', sql: EFFECTS },
];
