/** A PostgreSQL that lives as long as the test run that started it: until its standard input ends. */
import { once } from 'node:events';
import { startTestServer, stopTestServer } from '../contracts/test-database.js';

await startTestServer();
console.log(process.env['TILLKIT_TEST_DATABASE_URL']);
process.stdin.resume();
await once(process.stdin, 'end');
await stopTestServer();
// As the campaigns do: Node 20 was seen to spin for ever in its own clean-up, and the test run waits for this end.
process.exit();
