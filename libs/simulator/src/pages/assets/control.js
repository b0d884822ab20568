// The page of the simulator. One stream of the journal updates all of it.
import { readClock, setSimulatedNow } from './clock.js';
import './environment.js';
import { noticeFaults, refreshFaults } from './faults.js';
import { handsets } from './handset.js';
import { addEntry } from './journal.js';
import { follow } from './platform.js';
import { announce } from './status.js';

follow({
  onOpen() {
    announce('Live: this page follows the simulator.');
    void readClock();
    void refreshFaults();
    for (const handset of handsets.values()) void handset.refresh();
  },
  onEntry(entry) {
    setSimulatedNow(Date.parse(entry.at));
    addEntry(entry);
    noticeFaults(entry);
    if (entry.type === 'note' && entry.phone) void handsets.get(entry.phone)?.refresh();
  },
  onLost: () => announce('The simulator does not respond; trying again.', true),
});
