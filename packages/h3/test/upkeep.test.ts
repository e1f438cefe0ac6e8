import type { CloudEvent } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { upkeepHandler } from '../src/index.ts';
import { createWorld, device, json, problemOf } from './world.ts';

const secret = 'sixteen-characters-or-more';
const bearer = { authorization: `Bearer ${secret}` };

async function makeWorld() {
  const { app, chairside } = await createWorld();
  const events: CloudEvent[] = [];
  const deliver = async (event: CloudEvent) => void events.push(event);
  const problemBase = 'https://api.example.com';
  app.all('/upkeep', upkeepHandler(chairside, { secret, deliver, problemBase }));
  return { app, events };
}

describe('the endpoint of a scheduler', () => {
  it.each(['GET', 'POST'])('settles and delivers, by %s', async (method) => {
    const { app, events } = await makeWorld();
    expect(
      (await app.request('/terminals', { method: 'POST', headers: json, body: device })).status,
    ).toBe(201);
    const response = await app.request('/upkeep', { method, headers: bearer });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      looked: 0,
      delivered: 1,
      failed: 0,
      more: false,
    });
    expect(events.map(({ type }) => type)).toEqual(['terminal.registered']);
  });

  it('rejects other callers, and other methods (D134)', async () => {
    const { app, events } = await makeWorld();
    for (const [authorization, sessionAction, challenge] of [
      ['', 'signIn', 'Bearer realm="chairside"'],
      [`Basic ${secret}`, 'signIn', 'Bearer realm="chairside"'],
      ['Bearer wrong', 'refresh', 'Bearer realm="chairside", error="invalid_token"'],
      [`Bearer ${secret}x`, 'refresh', 'Bearer realm="chairside", error="invalid_token"'],
      [`Bearer ${secret}, x`, 'refresh', 'Bearer realm="chairside", error="invalid_token"'],
    ] as const) {
      const refused = await app.request('/upkeep', { headers: { authorization } });
      expect(refused.headers.get('www-authenticate')).toBe(challenge);
      const { recovery } = await problemOf(refused, 401, 'unauthorized');
      expect(recovery?.sessionAction).toBe(sessionAction);
    }
    const refused = await app.request('/upkeep', { method: 'DELETE', headers: bearer });
    const { detail } = await problemOf(refused, 405, 'methodNotAllowed');
    expect(detail).toBe('Use GET or POST.');
    expect(events).toEqual([]);
  });

  it('needs a secret that cannot be guessed', async () => {
    const { chairside } = await createWorld();
    // cast: hosts without types may pass it
    for (const secret of ['x'.repeat(15), undefined as unknown as string]) {
      expect(() => upkeepHandler(chairside, { secret })).toThrow('secret: must have at least 16');
    }
    upkeepHandler(chairside, { secret: 'x'.repeat(16) });
  });

  it.each(['correct horse battery staple!', ' sixteen-characters-or-more', 'größer-als-sechzehn'])(
    'refuses a secret that no bearer token can be: %s',
    async (unsendable) => {
      const { chairside } = await createWorld();
      expect(() => upkeepHandler(chairside, { secret: unsendable })).toThrow(
        'secret: may have only',
      );
    },
  );
});
