import type { Ledger } from '../ledger/ledger.js';
import type { CreateAnswersService } from '../send/create-answers.service.js';
import {
  type OperationEvidenceService,
  OperationReader,
} from '../ledger/operation-evidence.service.js';
import { OperationSender } from '../send/operation-sender.js';
import type { RecentRecords } from '../ledger/recent-records.js';
import { OperationRecorder } from '../send/operation-recorder.js';
import type { OperationsStore } from '../store/operations.store.js';
import type { Operation } from '../store/operation.js';
import { PaymentMatcher } from '../tills/payment-matcher.js';
import { WatchedOperations } from '../ledger/watched-operations.js';
import { PlatformWaits } from '../platform/background-requests.js';
import type { Resources } from '../platform/resources.js';
import type { Runtime } from '../runtime/clock.js';
import { backgroundOf, type LedgerUnderTest } from './ledger.fixture.js';

export function senderOf<O extends Operation>(
  { ledger, answers, kinds, shutdown, accounts }: LedgerUnderTest,
  runtime: Runtime,
  resources: Resources,
): OperationSender<O> {
  return new OperationSender<O>(
    ledger as unknown as Ledger<O>,
    answers as unknown as CreateAnswersService<O>,
    kinds,
    resources,
    shutdown,
    new PlatformWaits(accounts, runtime),
    runtime,
  );
}

export function readerOf<O extends Operation>(
  under: LedgerUnderTest,
  runtime: Runtime,
): OperationReader<O> {
  const ledger = under.ledger as unknown as Ledger<O>;
  const evidence = under.evidence as unknown as OperationEvidenceService<O>;
  const background = backgroundOf(under, runtime);
  return new OperationReader<O>(under.kinds, ledger, evidence, background, under.clocks);
}

export function matcherOf(under: LedgerUnderTest): PaymentMatcher {
  const { ledger, operations, clocks, accounts } = under;
  const { transactions, bareRequests } = under.store;
  return new PaymentMatcher(transactions, operations, bareRequests, ledger, clocks, accounts);
}

/** The service of each kind of operations is made from these parts. */
export function partsOf<O extends Operation>(
  under: LedgerUnderTest,
  runtime: Runtime,
  resources: Resources,
): [OperationsStore<O>, Ledger<O>, OperationRecorder<O>, WatchedOperations<O>] {
  const { signals, accounts } = under;
  const store = under.store.operations as unknown as OperationsStore<O>;
  const ledger = under.ledger as unknown as Ledger<O>;
  const sender = senderOf<O>(under, runtime, resources);
  const { pauses } = under.store;
  const known = under.records as unknown as RecentRecords<O>;
  return [
    store,
    ledger,
    new OperationRecorder(store, sender, signals, pauses, accounts, known, runtime),
    new WatchedOperations<O>(store, signals, readerOf<O>(under, runtime), runtime),
  ];
}

/** Every sending needs these beside the resource itself. */
export const READY = {
  tokens: { get: () => Promise.resolve('token') },
  client: { learnClock: () => Promise.resolve(), refusalOf: () => null },
  urls: { callback: () => 'https://shop.test/callback' },
};
