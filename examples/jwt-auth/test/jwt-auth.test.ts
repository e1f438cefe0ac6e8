import { createChairside } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import { createManualClock, createMapStore } from '@chairside/testkit';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  type JWTVerifyGetKey,
  SignJWT,
} from 'jose';
import { expect, test } from 'vitest';
import { createJwtAuthenticator } from '../src/jwt-authenticator.ts';

const issuer = 'https://id.marlow.example';
const audience = 'https://pay.marlow.example';
const [key, olderKey, otherKey] = [
  await generateKeyPair('ES256', { extractable: true }),
  await generateKeyPair('ES256', { extractable: true }),
  await generateKeyPair('ES256', { extractable: true }),
];
const published = createLocalJWKSet({
  keys: [
    { ...(await exportJWK(key.publicKey)), kid: '2', alg: 'ES256' },
    { ...(await exportJWK(olderKey.publicKey)), kid: '1', alg: 'ES256' },
  ],
});
const clock = createManualClock();
const now = Math.floor(clock.now() / 1000);
const barber = { sub: 'user-ada', barber_id: 'ada', roles: ['card_payments'] };

interface Signed {
  readonly by?: typeof key;
  readonly kid?: string;
  readonly iss?: string;
  readonly aud?: string;
  readonly exp?: number;
  readonly nbf?: number;
}

function sign(claims: JWTPayload, { by = key, kid = '2', ...over }: Signed = {}): Promise<string> {
  const { iss = issuer, aud = audience, exp = now + 300, nbf = now } = over;
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(iss)
    .setAudience(aud)
    .setExpirationTime(exp)
    .setNotBefore(nbf)
    .sign(by.privateKey);
}

async function makeWorld(keys: JWTVerifyGetKey = published) {
  const store = createMapStore();
  const chairside = createChairside({ store, clock, processor: createFakeProcessor({ clock }) });
  const { records } = chairside;
  for (const put of [
    await records.putBusiness({ id: 'shop', name: 'Marlow & Sons' }),
    await records.putBarber({ id: 'ada', businessId: 'shop' }),
    await records.putPayoutPreferences({ businessId: 'shop', settings: { frequency: 'manual' } }),
  ]) {
    expect(put.isOk()).toBe(true);
  }
  const authenticate = createJwtAuthenticator({ keys, issuer, audience, clock });
  const app = chairsideHandler(chairside, { authenticate, problemBase: 'https://marlow.example' });
  return async (token: string, path = '/terminals', method = 'GET') => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await app.request(path, { method, headers });
    return { status: response.status, challenge: response.headers.get('www-authenticate') };
  };
}

test('accepts a token that was signed for us', async () => {
  const send = await makeWorld();
  const status = async (claims: JWTPayload, path?: string, signed?: Signed) =>
    (await send(await sign(claims, signed), path)).status;
  expect(await status(barber)).toBe(200);
  expect(await status(barber, '/terminals', { by: olderKey, kid: '1' })).toBe(200);
  expect(await status({ sub: 'user-kim', customer_id: 'kim' })).toBe(403);
  const payouts = '/businesses/shop/preferences/payouts';
  expect(await status({ sub: 'owner', business_ids: ['shop'] }, payouts)).toBe(200);
  expect(await status({ sub: 'owner', business_ids: ['other'] }, payouts)).toBe(403);

  const remove = async (claims: JWTPayload) =>
    (await send(await sign(claims), '/barbers/ada/schedules/none', 'DELETE')).status;
  expect(await remove({ sub: 'root', roles: ['administrator'] })).toBe(404);
  expect(await remove({ sub: 'someone', roles: ['card_payments'] })).toBe(403);
});

test('rejects every other token:', async () => {
  const send = await makeWorld();
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const claims = { ...barber, iss: issuer, aud: audience, exp: now + 300 };
  const sharedSecret = new TextEncoder().encode(JSON.stringify(await exportJWK(key.publicKey)));
  const good = await sign(barber);
  const tokens = {
    'is too old': await sign(barber, { exp: now }),
    'is not valid yet': await sign(barber, { nbf: now + 60 }),
    'of another issuer': await sign(barber, { iss: 'https://id.other.example' }),
    'for someone else': await sign(barber, { aud: 'https://other.example' }),
    'signed with an unknown key': await sign(barber, { by: otherKey, kid: '3' }),
    'signed with another key': await sign(barber, { by: otherKey }),
    'without a subject': await sign({ barber_id: 'ada' }),
    'with strange claims': await sign({ ...barber, business_ids: 'shop' }),
    'without an end': await new SignJWT({ ...barber, iss: issuer, aud: audience })
      .setProtectedHeader({ alg: 'ES256', kid: '2' })
      .sign(key.privateKey),
    'not signed': `${part({ alg: 'none' })}.${part(claims)}.`,
    'signed with the public key': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: '2' })
      .sign(sharedSecret),
    'without a key id': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256' })
      .sign(key.privateKey),
    'with an extension that nobody knows': `${part({ alg: 'ES256', crit: ['x'], x: 1 })}.${part(claims)}.AA`,
    'that was changed': good.replace(/\.[^.]+\./, `.${part({ ...claims, barber_id: 'ben' })}.`),
    'that is not a token': 'good',
  };
  for (const [what, token] of Object.entries(tokens)) {
    const refused = { status: 401, challenge: 'Bearer realm="chairside", error="invalid_token"' };
    expect(await send(token), what).toEqual(refused);
  }
});

test('returns 503 if the keys are unavailable:', async () => {
  const url = new URL('https://id.marlow.example/keys');
  for (const [what, fetchKeys] of Object.entries({
    'the endpoint cannot be reached': () => Promise.reject(new TypeError('fetch failed')),
    'it takes too long': () => Promise.reject(new DOMException('', 'TimeoutError')),
    'it fails': async () => new Response('no', { status: 500 }),
    'its response is not JSON': async () => new Response('<html>'),
    'its response has no keys': async () => new Response('{"error":"try again"}'),
  })) {
    const send = await makeWorld(createRemoteJWKSet(url, { [customFetch]: fetchKeys }));
    expect(await send(await sign(barber)), what).toEqual({ status: 503, challenge: null });
  }
});

test('a token with an id that nobody can have is a fault of the token, and not of the server', async () => {
  const send = await makeWorld();
  for (const claims of [
    { ...barber, sub: 'x'.repeat(256) },
    { ...barber, sub: 'a\0b' },
    { ...barber, barber_id: '' },
    { ...barber, business_ids: [''] },
  ]) {
    expect((await send(await sign(claims))).status).toBe(401);
  }
});
