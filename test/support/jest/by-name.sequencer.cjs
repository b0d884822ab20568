const { default: Sequencer } = require('@jest/test-sequencer');

module.exports = class ByNameSequencer extends Sequencer {
  sort(tests) {
    return tests.toSorted((one, other) => one.path.localeCompare(other.path));
  }
};
