import { Inject, Injectable, Logger } from '@nestjs/common';
import { DASHBOARD_ACCOUNT } from '../dashboard.constants.js';
import { maskPhone } from '../html/phone.format.js';
import type { Visit } from './visit.dto.js';

/** Writes the audit log: one line for each look-up of a phone number and for each change, with the operator, without the number. */
@Injectable()
export class AuditLogService {
  private readonly logger = new Logger('Tillkit');

  constructor(@Inject(DASHBOARD_ACCOUNT) private readonly account: string) {}

  revealed({ operator }: Visit, what: string): void {
    this.write(`${operator} looked up the phone number of ${what}`);
  }

  searched({ operator }: Visit, phone: string): void {
    this.write(`${operator} searched payments by phone number ${maskPhone(phone)}`);
  }

  changed({ operator }: Visit, what: string): void {
    this.write(`${operator} ${what}`);
  }

  private write(line: string): void {
    this.logger.log(`dashboard of account ${this.account}: ${line}`);
  }
}
