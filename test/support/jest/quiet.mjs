/** A run of tests does not show the log lines of the application. A test of a log line gives its own logger, or spies on it. */
import { Logger } from '@nestjs/common';

Logger.overrideLogger(false);
