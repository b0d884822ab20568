import { Global, Module } from '@nestjs/common';
import { PaymentsLedgerModule } from '../ledger/ledger.module.js';
import { PaymentsPlatformModule } from '../platform/platform.module.js';
import { CreateAnswersService } from './create-answers.service.js';
import { OperationSender } from './operation-sender.js';
import { OperationRecorder } from './operation-recorder.js';

const SEND = [CreateAnswersService, OperationSender, OperationRecorder];

/**
 * The one place that moves money: records an operation with its key and guards, marks it `requested`, sends its create once, and takes the answer.
 *
 * It must never send an operation that it has not marked, and never send one again that may have been processed.
 */
@Global()
@Module({ imports: [PaymentsLedgerModule, PaymentsPlatformModule], providers: SEND, exports: SEND })
export class PaymentsSendModule {}
