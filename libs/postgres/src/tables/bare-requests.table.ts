import type { BareRequest, CandidateQuery } from '@tillkit/payments/store';
import type { Database } from '../postgres.database.js';
import { readBareRequest, writeBareRequest } from '../rows/bare-request.row.js';
import { amountHash } from '../rows/transaction.row.js';
import {
  FIND_BARE_CANDIDATES,
  FIND_BARE_CANDIDATES_OF_ANY,
  FIND_BARE_REQUEST,
  KEEP_BARE_REQUEST,
} from '../sql/bare-requests.sql.js';
import { storableHash, storableText } from '../storable.js';

/** Requests that the host created without a record of ours: the owners of money that belongs to no payment. */
export class BareRequestsTable {
  constructor(private readonly database: Database) {}

  async keep(account: string, request: BareRequest): Promise<void> {
    await this.database.rows(KEEP_BARE_REQUEST, writeBareRequest(account, request));
  }

  async find(
    account: string,
    resource: BareRequest['resource'],
    id: string,
  ): Promise<BareRequest | null> {
    const values = [account, resource, storableText(id)];
    const [row] = await this.database.rows(FIND_BARE_REQUEST, values);
    return row ? readBareRequest(row) : null;
  }

  async candidates(account: string, query: CandidateQuery): Promise<BareRequest[]> {
    const { payerHash, sentFrom, sentTo } = query;
    const values = [account, amountHash(query), sentFrom.getTime(), sentTo.getTime()];
    const rows =
      payerHash === null
        ? await this.database.rows(FIND_BARE_CANDIDATES_OF_ANY, values)
        : await this.database.rows(FIND_BARE_CANDIDATES, [...values, storableHash(payerHash)]);
    return rows.map(readBareRequest);
  }
}
