import {
  BareRequestsStore,
  type BareRequest,
  type CandidateQuery,
} from '@tillkit/payments/internal/store';
import type { Database } from '../postgres-database.js';
import { readBareRequest, writeBareRequest } from './bare-request.row.js';
import { amountHash } from '../transactions/transaction.row.js';
import {
  bareRequestsFindCandidatesOfAnySql,
  bareRequestsFindCandidatesSql,
  bareRequestsFindSql,
  bareRequestsKeepSql,
} from '../generated/sql.js';
import { storableHash, storableText } from '../storable.js';

/** Requests that the host sent with the bare resources, without an operation. Transactions may belong to them. */
export class PostgresBareRequestsStore extends BareRequestsStore {
  constructor(private readonly database: Database) {
    super();
  }

  async keep(account: string, request: BareRequest): Promise<void> {
    await this.database.rows(bareRequestsKeepSql, writeBareRequest(account, request));
  }

  async find(
    account: string,
    resource: BareRequest['resource'],
    id: string,
  ): Promise<BareRequest | null> {
    const values = [account, resource, storableText(id)];
    const [row] = await this.database.rows(bareRequestsFindSql, values);
    return row ? readBareRequest(row) : null;
  }

  async findCandidates(account: string, query: CandidateQuery): Promise<BareRequest[]> {
    const { payerHash, sentFrom, sentTo } = query;
    const values = [account, amountHash(query), sentFrom.getTime(), sentTo.getTime()];
    const rows =
      payerHash === null
        ? await this.database.rows(bareRequestsFindCandidatesOfAnySql, values)
        : await this.database.rows(bareRequestsFindCandidatesSql, [
            ...values,
            storableHash(payerHash),
          ]);
    return rows.map(readBareRequest);
  }
}
