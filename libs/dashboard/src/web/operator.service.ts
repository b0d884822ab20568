import { Inject, Injectable } from '@nestjs/common';
import { SafeLogger } from '@tillkit/payments/internal/routes';
import { DASHBOARD_MAY_ACT, DASHBOARD_OPTIONS } from '../dashboard.constants.js';
import type { PaymentsDashboardOptions } from '../dashboard.options.js';
import { UNKNOWN_OPERATOR } from './visit.dto.js';

const MAX_LENGTH = 100;

/** Names the operator of a request, and says whether operators may act. */
@Injectable()
export class OperatorService {
  private readonly logger = new SafeLogger();

  constructor(
    @Inject(DASHBOARD_OPTIONS) private readonly options: PaymentsDashboardOptions,
    /** True when operators may change something. */
    @Inject(DASHBOARD_MAY_ACT) readonly mayAct: boolean,
  ) {}

  /** Returns the name of the operator who sent a request, safe for one line of the log; null if the host gives none. */
  nameOf(request: object): string | null {
    try {
      const name: unknown = this.options.operator?.(request as never);
      if (typeof name !== 'string') return null;
      // A name with a line break could forge a line of the log.
      return (
        name
          .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
          .trim()
          .slice(0, MAX_LENGTH) || null
      );
    } catch (error) {
      this.logger.seldom(
        'warn',
        'operator',
        `the dashboard option operator threw an error, so the audit log says "${UNKNOWN_OPERATOR}": ${String(error)}`,
      );
      return null;
    }
  }
}
