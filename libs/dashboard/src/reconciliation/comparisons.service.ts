import { Injectable } from '@nestjs/common';
import {
  PaymentsError,
  ReconciliationService,
  StoreUnavailableError,
  type ReconciliationReport,
} from '@tillkit/payments';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';

/** The report of a comparison, or the reason why there is none. */
export type Comparison = { report: ReconciliationReport } | { problem: string; status: 409 | 502 };

/** Compares the stored transactions with the platform's list. One comparison of an account runs at a time, because each one sends many requests. */
@Injectable()
export class Comparisons {
  /** The accounts that are being compared. */
  private readonly running = new Set<string>();

  constructor(private readonly audit: AuditLogService) {}

  async compare(
    visit: Visit,
    { from, to, till }: { from: Date; to: Date; till?: string | undefined },
  ): Promise<Comparison> {
    const { name } = visit.account;
    if (this.running.has(name))
      return {
        problem:
          'Another comparison of this account is running. Only one runs at a time. Try again later.',
        status: 409,
      };
    this.running.add(name);
    try {
      this.audit.changed(visit, 'compared the till with the platform');
      const window = { from, to, tillNumber: till };
      return { report: await visit.account.get(ReconciliationService).report(window) };
    } catch (error) {
      if (!(error instanceof PaymentsError) || error instanceof StoreUnavailableError) throw error;
      return {
        problem: `The list of the platform could not be read completely. A report from part of it would show transactions as missing, so there is none. ${error.message}`,
        status: 502,
      };
    } finally {
      this.running.delete(name);
    }
  }
}
