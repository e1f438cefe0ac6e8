import { expect, it } from 'vitest';
import { fuzz } from './fuzz/run.ts';

// A hundred thousand each night: `npx --yes pnpm trial fuzz --requests 100000`.
it('5,000 malformed requests are rejected, and change no record', async () => {
  const { sent, byStatus, faults } = await fuzz({ requests: 5000, seed: 20_261_121 });
  expect(faults).toEqual([]);
  expect(sent).toBe(5000);
  // It has seen every kind of response.
  const statuses = [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 431];
  for (const status of statuses) expect(byStatus, `${status}`).toHaveProperty(`${status}`);
}, 180_000);
