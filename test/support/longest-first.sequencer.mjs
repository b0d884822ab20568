import Sequencer from '@jest/test-sequencer';

// Jest knows the time of a file only on a machine that has run it. The files that take longest must not begin last.
const LONGEST = [
  'shop-killed',
  'shared-waits',
  'postgres.store',
  'many-accounts',
  'simulation/simulation',
  'live-changes',
  'left-merchants',
  'embedded-postgres',
  'statements.plan',
];

/** Begins with the files that take longest, on any machine. */
export default class LongestFirstSequencer extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const index = LONGEST.findIndex((name) => path.includes(`/${name}.`));
      return index < 0 ? LONGEST.length : index;
    };
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
}
