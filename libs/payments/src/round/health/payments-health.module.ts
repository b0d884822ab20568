import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { PaymentsHealthIndicator } from './payments-health-indicator.js';

/** Provides `PaymentsHealthIndicator`. Import it beside `PaymentsModule`, where your health controller is. @publicApi */
@Module({
  imports: [TerminusModule],
  providers: [PaymentsHealthIndicator],
  exports: [PaymentsHealthIndicator],
})
export class PaymentsHealthModule {}
