/** The code of docs/failures.md uses these names without declaring them. */
import type { Payment, PaymentsService } from '@tillkit/payments';

export { PaymentsModule } from '@tillkit/payments';

export declare const payments: PaymentsService;
export declare const payment: Payment;
export declare const offerToPayAgain: (message: string) => void;
