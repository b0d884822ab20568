import type { Ledger } from '../ledger/ledger.js';
import type { CreateAnswersService } from '../send/create-answers.service.js';
import type { OperationEvidenceService } from '../ledger/operation-evidence.service.js';
import { OperationReader } from '../ledger/operation.reader.js';
import { OperationSender } from '../send/operation.sender.js';
import { OperationTools } from '../send/operations.service.js';
import type { OperationsStore } from '../store/operations.store.js';
import type { Operation } from '../store/operation.js';
import { WatchedOperations } from '../ledger/watched-operations.js';
import { PlatformWaits } from '../work/platform.waits.js';
import type { Resources } from '../platform/resources.js';
import type { Runtime } from '../work/runtime.js';
import { backgroundOf, type LedgerUnderTest } from './ledger.fixture.js';

/** What the service of one kind of operations works with. */
export function toolsOf<O extends Operation>(
  under: LedgerUnderTest,
  runtime: Runtime,
  resources: Resources,
): OperationTools<O> {
  const { kinds, shutdown, signals, clocks, accounts } = under;
  const store = under.store.operations as unknown as OperationsStore<O>;
  const ledger = under.ledger as unknown as Ledger<O>;
  const sender = new OperationSender<O>(
    ledger,
    under.answers as unknown as CreateAnswersService<O>,
    kinds,
    resources,
    shutdown,
    new PlatformWaits(accounts, runtime),
    runtime,
  );
  const watched = new WatchedOperations<O>(store, signals, runtime);
  return new OperationTools<O>(
    store,
    ledger,
    sender,
    new OperationReader<O>(
      kinds,
      ledger,
      under.evidence as unknown as OperationEvidenceService<O>,
      backgroundOf(under, runtime),
      clocks,
    ),
    signals,
    watched,
    under.store.pauses,
    accounts,
    runtime,
  );
}

/** What every sending needs beside the resource itself. */
export const READY = {
  tokens: { get: () => Promise.resolve('token') },
  client: { learnClock: () => Promise.resolve() },
  urls: { callback: () => 'https://shop.test/callback' },
};
