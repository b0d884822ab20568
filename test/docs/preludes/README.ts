/** What the code of README.md leaves out. */
import type { CanActivate } from '@nestjs/common';
export { PaymentsDashboardModule } from '@tillkit/dashboard';

export declare class OperatorsGuard implements CanActivate {
  canActivate(): boolean;
}
