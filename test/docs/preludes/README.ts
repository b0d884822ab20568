/** The code of README.md uses these names without declaring them. */
import type { CanActivate } from '@nestjs/common';
export { PaymentsDashboardModule } from '@tillkit/dashboard';

export declare class OperatorsGuard implements CanActivate {
  canActivate(): boolean;
}
