import type { Ledger } from '../ledger/ledger.js';
import type { CreateAnswersService } from '../send/create-answers.service.js';
import type { OperationEvidenceService } from '../ledger/operation-evidence.service.js';
import { OperationReader } from '../ledger/operation.reader.js';
import { OperationSender } from '../send/operation-sender.js';
import { OperationRecorder } from '../send/operation-recorder.js';
import type { OperationsStore } from '../store/operations.store.js';
import type { Operation } from '../store/operation.js';
import { WatchedOperations } from '../ledger/watched-operations.js';
import { PlatformWaits } from '../work/platform-waits.js';
import type { Resources } from '../platform/resources.js';
import type { Runtime } from '../work/runtime.js';
import { backgroundOf, type LedgerUnderTest } from './ledger.fixture.js';

/** What sends the operations of one kind. */
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

/** What the service of one kind of operations is made from. */
export function partsOf<O extends Operation>(
  under: LedgerUnderTest,
  runtime: Runtime,
  resources: Resources,
): [OperationsStore<O>, Ledger<O>, OperationRecorder<O>, WatchedOperations<O>] {
  const { kinds, signals, clocks, accounts } = under;
  const store = under.store.operations as unknown as OperationsStore<O>;
  const ledger = under.ledger as unknown as Ledger<O>;
  const evidence = under.evidence as unknown as OperationEvidenceService<O>;
  const sender = senderOf<O>(under, runtime, resources);
  const { pauses } = under.store;
  const background = backgroundOf(under, runtime);
  const reader = new OperationReader<O>(kinds, ledger, evidence, background, clocks);
  return [
    store,
    ledger,
    new OperationRecorder(store, sender, signals, pauses, accounts, runtime),
    new WatchedOperations<O>(store, signals, reader, runtime),
  ];
}

/** What every sending needs beside the resource itself. */
export const READY = {
  tokens: { get: () => Promise.resolve('token') },
  client: { learnClock: () => Promise.resolve() },
  urls: { callback: () => 'https://shop.test/callback' },
};
