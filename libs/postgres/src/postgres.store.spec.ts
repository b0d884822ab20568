import {
  freshDatabase,
  letTimePass,
  PATIENT,
  textOfDatabase,
} from '../../../test/contracts/test-database.js';
import { describePaymentsStore } from '../../../test/contracts/payments-store.contract.js';
import type { OpenStore } from '../../../test/contracts/store-under-test.js';
import { PostgresStore } from './postgres.store.js';

const open: OpenStore = async () => {
  const database = await freshDatabase();
  const store = new PostgresStore({ ...PATIENT, connectionString: database.storeUrl });
  return {
    store,
    advance: (ms) => letTimePass(database.url, ms),
    everything: () => textOfDatabase(database.url),
    close: async () => {
      await store.close();
      await database.drop();
    },
  };
};

describePaymentsStore('PostgresStore', open);
