import { MemoryStore } from '@tillkit/payments/internal/store';
import { describePaymentsStore } from './payments-store.contract.js';
import { textOf } from './text-of.js';
import type { OpenStore } from './store-under-test.js';

const open: OpenStore = async () => {
  let passed = 0;
  const store = new MemoryStore(() => Date.now() + passed);
  return {
    store,
    advance: async (ms) => {
      passed += ms;
    },
    everything: async () => textOf(store),
    close: async () => {},
  };
};

describePaymentsStore('MemoryStore', open);
