/** The code of docs/settings.md uses these names without declaring them. */
export { ConfigModule, ConfigService } from '@nestjs/config';
export { PaymentsModule } from '@tillkit/payments';
