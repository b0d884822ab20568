/** The code of docs/observability.md uses these names without declaring them. */
export { PaymentsModule } from '@tillkit/payments';
