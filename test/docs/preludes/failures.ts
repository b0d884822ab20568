/** What the code of docs/failures.md leaves out. */
import type { Payment, PaymentsService } from '@tillkit/payments';

export { PaymentsModule } from '@tillkit/payments';

export declare const payments: PaymentsService;
export declare const payment: Payment;
export declare const offerToPayAgain: (message: string) => void;
