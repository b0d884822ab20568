/** The application's log lines are no output of a run of tests. A test that is about one gives its own logger, or spies on it. */
import { Logger } from '@nestjs/common';

Logger.overrideLogger(false);
