// The activity page of the control room.
import './clock.js';
import './active-faults.js';
import { messageOf } from './element.js';
import { noticeFaults } from './fault-settings.js';
import { onEntries, start } from './journal.js';
import { announce } from './status.js';

onEntries(noticeFaults);
void start().catch((error) => announce(messageOf(error), true));
