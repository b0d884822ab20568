import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeAccounts } from './accounts.contract.js';
import { describeBareRequests } from './bare-requests.contract.js';
import { describeCalls } from './calls.contract.js';
import { describeCandidates } from './candidates.contract.js';
import { describeChanges } from './changes.contract.js';
import { describeChangesWithDeliveries } from './changes-with-deliveries.contract.js';
import { describeClaimsWithChanges } from './claims-with-changes.contract.js';
import { describeCustomerData } from './customer-data.contract.js';
import { describeDeliveries } from './deliveries.contract.js';
import { describeDueWork } from './due-work.contract.js';
import { describeDuePayments } from './due-payments.contract.js';
import { describeMadeDue } from './made-due.contract.js';
import { describeRedactedPersons } from './redacted-persons.contract.js';
import { describeGuards } from './guards.contract.js';
import { describeLeases } from './leases.contract.js';
import { describePersonalData } from './personal-data.contract.js';
import { describeSharedData } from './shared-data.contract.js';
import { describePlannedWork } from './planned-work.contract.js';
import { describeRecording } from './recording.contract.js';
import { describeRetention } from './retention.contract.js';
import { describeTotals } from './totals.contract.js';
import { describePauses } from './pauses.contract.js';
import { describeTransactions } from './transactions.contract.js';
import { describeTraceparents } from './traceparents.contract.js';
import { describeViews } from './views.contract.js';
import type { OpenStore, StoreUnderTest } from './store-under-test.js';

Logger.overrideLogger(false);

/** Every implementation of the store must pass these tests. */
export function describePaymentsStore(name: string, open: OpenStore): void {
  describe(`${name} keeps the contract of PaymentsStore:`, () => {
    let opened: StoreUnderTest;
    beforeAll(async () => {
      opened = await open();
      await opened.store.init();
    });
    afterAll(() => opened.close());
    const current = (): StoreUnderTest => opened;

    describeAccounts(current);
    describeRecording(current);
    describeGuards(current);
    describeChanges(current);
    describeChangesWithDeliveries(current);
    describeClaimsWithChanges(current);
    describeTransactions(current);
    describeCandidates(current);
    describeBareRequests(current);
    describeDuePayments(current);
    describeMadeDue(current);
    describeDeliveries(current);
    describeCalls(current);
    describeLeases(current);
    describeDueWork(current);
    describePlannedWork(current);
    describePauses(current);
    describeRetention(current);
    describePersonalData(current);
    describeSharedData(current);
    describeCustomerData(current);
    describeRedactedPersons(current);
    describeViews(current);
    describeTotals(current);
    describeTraceparents(current);
  });
}
