/** A merchant's application with the dashboard. It works on nothing in the background. */
import { Module } from '@nestjs/common';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { PaymentsModule } from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import { accountOptions, createApplication, listen } from './payments.application.js';
import { host, settingsOf } from './subject.host.js';

const { databaseUrl } = settingsOf<{ databaseUrl: string }>();

@Module({
  imports: [
    PostgresStoreModule.forRoot({ connectionString: databaseUrl }),
    PaymentsModule.forRoot(accountOptions('http://127.0.0.1:9', { background: false })),
    PaymentsDashboardModule.forRoot({
      unguarded: 'anyone may see every payment',
      timeZone: 'Africa/Nairobi',
    }),
  ],
})
class DashboardModule {}

const app = await createApplication(DashboardModule, 'express');
const url = `${await listen(app)}/payments-dashboard`;
host(
  {
    url: () => url,
    /** Returns the largest resident memory since the start, in MB. */
    peakMemory: () => process.resourceUsage().maxRSS / 1024,
  },
  () => app.close(),
);
