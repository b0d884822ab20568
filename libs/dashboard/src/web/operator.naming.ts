import { Inject, Injectable, Logger } from '@nestjs/common';
import { DASHBOARD_OPTIONS } from '../dashboard.constants.js';
import type { PaymentsDashboardOptions } from '../dashboard.options.js';

const UNKNOWN = 'unknown operator';
const MAX_LENGTH = 100;

/** Says who is looking, fit for a line of the log. */
@Injectable()
export class OperatorNaming {
  private readonly logger = new Logger('Tillkit');

  constructor(@Inject(DASHBOARD_OPTIONS) private readonly options: PaymentsDashboardOptions) {}

  nameOf(request: object): string {
    try {
      const name: unknown = this.options.operator?.(request as never);
      if (typeof name !== 'string') return UNKNOWN;
      // One line and no more: a name must not be able to write a line of its own.
      return (
        name
          .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
          .trim()
          .slice(0, MAX_LENGTH) || UNKNOWN
      );
    } catch (error) {
      this.logger.warn(`the operator of the dashboard could not be named: ${String(error)}`);
      return UNKNOWN;
    }
  }
}
