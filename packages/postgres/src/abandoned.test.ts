import { Pool, type PoolConfig } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startScriptedServer } from '../test/scripted-server.ts';
import { abandonedOf } from './abandoned.ts';

/** As many sessions were given up as a pool with one connection may have. */
function given(config: PoolConfig) {
  const abandoned = abandonedOf(new Pool({ ...config, max: 1 }));
  onTestFinished(abandoned.close);
  // cast: only the number of its process is read
  for (const processID of [1, 2]) abandoned.add({ processID } as never, 5000);
  expect(abandoned.isFull()).toBe(true);
  return abandoned;
}

it('asks a far server, which takes over a second to connect', async () => {
  const server = await startScriptedServer([[{ tag: 'SELECT 0' }]], 1100);
  onTestFinished(server.close);
  const abandoned = given(server.config);
  await abandoned.ask(5000);
  expect(abandoned.isFull()).toBe(false);
});

it('forgets sessions that it could not ask about for minutes: the store must not refuse for ever', async () => {
  const server = await startScriptedServer([]);
  await server.close();
  const abandoned = given(server.config);
  const now = performance.now();
  const time = vi.spyOn(performance, 'now');
  onTestFinished(() => time.mockRestore());
  time.mockReturnValue(now + 60_000);
  await abandoned.ask(5000);
  expect(abandoned.isFull()).toBe(true);
  time.mockReturnValue(now + 301_000);
  await abandoned.ask(5000);
  expect(abandoned.isFull()).toBe(false);
});
