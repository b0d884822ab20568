/** What the code of docs/observability.md leaves out. */
export { PaymentsModule } from '@tillkit/payments';
