/** An application with an embedded server. It prints its URL and runs until it is stopped or killed. */
import { EmbeddedPostgres } from '../embedded/embedded-postgres.js';

const [, , dataDir = '', way] = process.argv;
const server = await EmbeddedPostgres.start({ dataDir });
if (way === 'hooks') process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)));
if (way === 'exit') process.stdin.on('data', () => process.exit(0));
process.stdout.write(server.connectionString);
setInterval(() => {}, 1000);
