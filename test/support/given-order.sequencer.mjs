import Sequencer from '@jest/test-sequencer';

const ORDER = JSON.parse(process.env.TILLKIT_MUTATION_TESTS ?? '[]');

/** Runs files in the order of an environment variable. Jest's own sequencer begins with the longest. */
export default class GivenOrderSequencer extends Sequencer {
  sort(tests) {
    return tests.toSorted((one, other) => ORDER.indexOf(one.path) - ORDER.indexOf(other.path));
  }
}
