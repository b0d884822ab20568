import { Injectable } from '@nestjs/common';
import { SafeLogger } from '@tillkit/payments/internal/routes';
import { maskPhone } from '../html/phone.format.js';
import type { Visit } from './visit.dto.js';

/** Writes the audit log: one line for each look-up of a phone number and for each change, with the operator, without the number. */
@Injectable()
export class AuditLogService {
  private readonly logger = new SafeLogger();

  revealed(visit: Visit, what: string): void {
    this.write(visit, `looked up the phone number of ${what}`);
  }

  searched(visit: Visit, list: string, phone: string): void {
    this.write(visit, `searched ${list} by phone number ${maskPhone(phone)}`);
  }

  changed(visit: Visit, what: string): void {
    this.write(visit, what);
  }

  private write({ account, operator }: Visit, line: string): void {
    this.logger.log(`dashboard of account ${account.name}: ${operator} ${line}`);
  }
}
