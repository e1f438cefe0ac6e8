// Runs a server as long as its input is open: until any end of the test run.
import { startEmbeddedServer } from '@chairside/embedded-postgres';

const started = await startEmbeddedServer({ settings: { max_connections: '300' } });
if (started.isErr()) throw new Error(started.error.message);
process.stdin.on('end', () => started.value.remove()).resume();
process.stdout.write(started.value.connectionString);
