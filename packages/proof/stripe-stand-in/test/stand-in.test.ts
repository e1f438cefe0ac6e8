import {
  createStripeStandIn,
  keyRetentionMs,
  type Outcome,
  type RawRequest,
} from '@chairside/stripe-stand-in';
import { createManualClock } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';

const secretKey = ['sk', 'test', 'standin'].join('_');
const clock = createManualClock();

function setUp() {
  const webhookSecret = ['whsec', 'standin_0123456789abcdef'].join('_');
  const standIn = createStripeStandIn({ clock, secretKey, webhookSecret });
  const { id: account } = standIn.addAccount();
  const headers = {
    authorization: `Bearer ${secretKey}`,
    'stripe-version': '2026-10-28.endive',
    'stripe-account': account,
    'idempotency-key': 'key',
  };
  const post = (path: string, body: string, more: RawRequest['headers'] = {}) =>
    standIn.serve({ method: 'POST', path, body, headers: { ...headers, ...more } });
  const get = (path: string, more: RawRequest['headers'] = {}) =>
    standIn.serve({ method: 'GET', path, body: '', headers: { ...headers, ...more } });
  return { standIn, account, post, get };
}

function read(outcome: Outcome) {
  if (outcome.kind !== 'answer') throw new Error(outcome.kind);
  return { status: outcome.status, headers: outcome.headers, body: JSON.parse(outcome.text) };
}

const intents = '/v1/payment_intents';
const good =
  'amount=4537&currency=usd&allowed_payment_method_types[0]=card_present&capture_method=manual';

describe('the stand-in of Stripe', () => {
  it('accepts the requests that the SDK’s types allow', () => {
    const { post, standIn } = setUp();
    const { status, body } = read(post(intents, `${good}&metadata[a]=1&expand[0]=latest_charge`));
    expect(status).toBe(200);
    expect(body).toMatchObject({ amount: 4537, metadata: { a: '1' }, livemode: false });
    expect(standIn.intents()).toHaveLength(1);
  });

  it.each([
    // The types have no `payment_method_types` any more.
    ['payment_method_types[0]=card_present', 'parameter_unknown'],
    ['amount[minor]=4537', 'parameter_invalid_integer'],
    ['amount=45.37', 'parameter_invalid_integer'],
    ['metadata=1', undefined],
    ['metadata[a][b]=1', undefined],
    ['transfer_data[account]=acct_1', 'parameter_unknown'],
    ['expand[data]=latest_charge', undefined],
    ['allowed_payment_method_types[1]=interac_present', 'payment_intent_invalid_parameter'],
    ['constructor=1', 'parameter_unknown'],
  ])('rejects %s', (param, code) => {
    const { post, standIn } = setUp();
    const { status, body } = read(post(intents, `${good}&${param}`));
    expect([status, body.error.code]).toEqual([400, code]);
    expect(standIn.intents()).toEqual([]);
  });

  it('rejects missing parameters', () => {
    const { post } = setUp();
    const { body } = read(post(intents, 'currency=usd'));
    expect(body.error).toMatchObject({ code: 'parameter_missing', param: 'amount' });
  });

  it.each([
    ['another key', { authorization: 'Bearer x' }, 401],
    ['another version', { 'stripe-version': '2020-08-27' }, 400],
    ['an unknown account', { 'stripe-account': 'acct_none' }, 403],
    ['no idempotency key', { 'idempotency-key': undefined }, 400],
    ['too long an idempotency key', { 'idempotency-key': 'k'.repeat(256) }, 400],
  ])('rejects %s', (_, more, status) => {
    const { post, standIn } = setUp();
    expect(read(post(intents, good, more)).status).toBe(status);
    expect(standIn.intents()).toEqual([]);
  });

  it('knows no other paths', () => {
    const { get } = setUp();
    expect(read(get('/v1/balance')).status).toBe(404);
    expect(read(get('/v1/payment_intents/pi_none')).status).toBe(404);
  });

  it('replays the reply of a key for 24 hours, failures too, and rejects other parameters', () => {
    const { post, standIn } = setUp();
    standIn.failNext('createPaymentIntent', 'failure');
    const failed = read(post(intents, good));
    expect(failed.status).toBe(500);
    expect(failed.headers).toMatchObject({ 'stripe-should-retry': 'false' });
    expect(failed.headers).not.toHaveProperty('idempotent-replayed');
    const again = read(post(intents, good));
    expect(again.status).toBe(500);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(read(post(intents, `${good}&metadata[a]=1`)).body.error.type).toBe('idempotency_error');
    clock.advance(keyRetentionMs);
    expect(read(post(intents, good)).status).toBe(200);
  });

  it('can leave out of a stored failure that a retry has no effect', () => {
    const { post, standIn } = setUp();
    standIn.failNext('createPaymentIntent', 'failureUntold');
    const first = read(post(intents, good));
    expect([first.status, Object.keys(first.headers)]).toEqual([
      500,
      ['date', 'content-type', 'request-id'],
    ]);
    expect(read(post(intents, good)).headers).toMatchObject({ 'idempotent-replayed': 'true' });
  });

  it('runs an unfinished request until it is finished, and its key is in use until then', () => {
    const { post, standIn } = setUp();
    standIn.failNext('createPaymentIntent', 'unfinished');
    expect(post(intents, good)).toEqual({ kind: 'timeout' });
    expect(read(post(intents, good)).status).toBe(409);
    standIn.failNext('createPaymentIntent', 'overloaded');
    const overloaded = read(post(intents, good));
    expect(overloaded.status).toBe(503);
    expect(overloaded.headers).toMatchObject({ 'stripe-should-retry': 'true' });
    expect(standIn.intents()).toEqual([]);
    expect(standIn.finish()).toBe(1);
    expect(standIn.finish()).toBe(0);
    const again = read(post(intents, good));
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(standIn.intents().map(({ id }) => id)).toEqual([again.body.id]);
  });

  it('stores no reply for a malformed request', () => {
    const { post } = setUp();
    expect(read(post(intents, `${good}&nonsense=1`)).status).toBe(400);
    expect(read(post(intents, good)).status).toBe(200);
  });

  it('keeps the keys of accounts apart', () => {
    const { post, standIn } = setUp();
    const other = standIn.addAccount().id;
    const here = read(post(intents, good)).body.id;
    expect(read(post(intents, good, { 'stripe-account': other })).body.id).not.toBe(here);
  });

  it('pages through a list, newest first', () => {
    const { post, get } = setUp();
    const made = [1, 2, 3].map(
      (n) => read(post(intents, good, { 'idempotency-key': `${n}` })).body.id,
    );
    const first = read(get(`${intents}?limit=2`)).body;
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual([made[2], made[1]]);
    expect(first.has_more).toBe(true);
    const rest = read(get(`${intents}?limit=2&starting_after=${made[1]}`)).body;
    expect(rest).toMatchObject({ has_more: false, data: [{ id: made[0] }] });
  });

  it('shows a charge by its id', () => {
    const { post, get, standIn } = setUp();
    const { client_secret } = read(post(intents, good)).body;
    standIn.present(client_secret, 'visa_credit');
    const [intent] = standIn.intents();
    const { body } = read(get(`/v1/charges/${intent?.latest_charge}`));
    expect(body).toMatchObject({ object: 'charge', captured: false, payment_intent: intent?.id });
  });

  it('stores a scripted rejection, and rejects all calls while it has no access', () => {
    const { post, standIn } = setUp();
    standIn.failNext('createPaymentIntent', 'noAccess');
    standIn.failNext('createPaymentIntent', 'rejected');
    expect(read(post(intents, good)).status).toBe(403);
    const refused = read(post(intents, good));
    expect(refused.status).toBe(400);
    expect(read(post(intents, good))).toEqual({
      ...refused,
      headers: { ...refused.headers, 'idempotent-replayed': 'true' },
    });
    expect(standIn.intents()).toEqual([]);
  });

  it('has cards that are declined once, and authorizations that end soon', () => {
    const { post, standIn } = setUp();
    const { client_secret } = read(post(intents, good)).body;
    const status = () => standIn.intents().map((intent) => intent.status);
    standIn.present(client_secret, 'declined_then_approved');
    expect(status()).toEqual(['requires_payment_method']);
    standIn.present(client_secret, 'declined_then_approved');
    expect(status()).toEqual(['requires_capture']);

    const { client_secret: another } = read(post(intents, good, { 'idempotency-key': '2' })).body;
    standIn.present(another, 'expires_soon');
    clock.advance(59_000);
    expect(status()).toEqual(['requires_capture', 'requires_capture']);
    clock.advance(1000);
    expect(status()).toEqual(['requires_capture', 'canceled']);
    expect(standIn.events.slice(-2)).toMatchObject([
      { type: 'payment_intent.canceled' },
      { type: 'charge.refunded', data: { object: { captured: false } } },
    ]);
  });

  it('makes tokens for a location until its deletion', () => {
    const { post, standIn, account } = setUp();
    const location = standIn.addLocation(account);
    const token = (key: string) =>
      read(
        post('/v1/terminal/connection_tokens', `location=${location}`, { 'idempotency-key': key }),
      ).status;
    expect(token('1')).toBe(200);
    standIn.removeLocation(location);
    expect(token('2')).toBe(400);
  });

  it('rejects impossible actions of a test', () => {
    const { post, standIn } = setUp();
    const { client_secret, id } = read(post(intents, good)).body;
    expect(() => standIn.present('none', 'visa_credit')).toThrow('no such object');
    expect(() => standIn.refund(id, 1)).toThrow('only a captured amount');
    standIn.present(client_secret, 'canceled');
    expect(() => standIn.present(client_secret, 'visa_credit')).toThrow('accepts no card');

    const other = read(post(intents, good, { 'idempotency-key': 'other' })).body;
    standIn.present(other.client_secret, 'visa_credit');
    read(post(`${intents}/${other.id}/capture`, '', { 'idempotency-key': 'capture' }));
    standIn.refund(other.id, 4537);
    expect(() => standIn.refund(other.id, 1)).toThrow('exceeds the rest');
  });
});
