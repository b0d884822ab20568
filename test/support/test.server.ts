/** A PostgreSQL server that runs until its standard input ends, which is when the test run ends. */
import { once } from 'node:events';
import { startTestServer, stopTestServer } from '../contracts/test-database.js';

await startTestServer();
console.log(process.env['TILLKIT_TEST_DATABASE_URL']);
process.stdin.resume();
await once(process.stdin, 'end');
await stopTestServer();
// Node 20 may loop for ever in its own clean-up, and the test run waits for this process to end.
process.exit();
