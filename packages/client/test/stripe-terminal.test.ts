import { describe, expect, it } from 'vitest';
import type { SdkError } from '../src/stripe-terminal.ts';
import { need, openShop, openVisit } from './shop.ts';
import { type PhoneOptions, startPhone } from './stripe-phone.ts';
import { memoryJournal, openTill, readerOf } from './till.ts';

describe("Stripe's SDK", () => {
  it('registers the phone, connects at its location and takes a payment', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop);
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.seen).toMatchObject({ locations: ['loc_shop'], initialized: 1, processed: 1 });
  });

  it('finds its own terminal after a restart, and connects again after a disconnection', async () => {
    const shop = await openShop();
    const first = startPhone(shop);
    expect(await first.register.wake()).toBe(true);
    const second = startPhone(shop);
    expect(await second.register.wake()).toBe(true);
    expect(second.terminal.terminal()?.id).toBe(first.terminal.terminal()?.id);
    second.disconnect();
    expect(await second.register.wake()).toBe(true);
    expect(second.seen.locations).toHaveLength(2);
  });

  it('keeps the problem that the SDK drops', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop);
    shop.processor.rejectLocation('loc_shop');
    const taken = await phone.register.take({ appointmentId });
    expect(taken).toMatchObject({ step: 'stuck', reason: 'reader', charged: 'no' });
    expect(phone.terminal.lastProblem()).toMatchObject({ type: 'unprocessableEntity' });
    expect(taken.readerSaid).toBe('The processor rejected the terminal or its location.');
  });

  it('shows the name of the shop, and the simulated reader, if they are given', async () => {
    const shop = await openShop();
    const reader = { merchantDisplayName: 'Marlow & Sons', simulated: true };
    const phone = startPhone(shop, { reader });
    expect(await phone.register.wake()).toBe(true);
    expect(phone.seen.connections).toEqual([
      {
        discoveryMethod: 'tapToPay',
        locationId: 'loc_shop',
        autoReconnectOnUnexpectedDisconnect: true,
        ...reader,
      },
    ]);
    const plain = startPhone(shop);
    expect(await plain.register.wake()).toBe(true);
    expect(plain.seen.connections[0]).not.toHaveProperty('merchantDisplayName');
    expect(plain.seen.connections[0]).not.toHaveProperty('simulated');
  });

  it('does not start the SDK before the app may use the location', async () => {
    const shop = await openShop();
    const appointmentId = await shop.putAppointment('a-1');
    let may = false;
    const phone = startPhone(shop, { reader: { isAllowed: async () => may } });
    expect(await phone.register.take({ appointmentId })).toMatchObject({
      reason: 'reader',
      charged: 'no',
      readerSaid: expect.stringMatching(/^Allow this app to use your location/),
    });
    expect(phone.seen.initialized).toBe(0);
    may = true;
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
  });

  it('connects on behalf of the business with destination charges', async () => {
    const { shop, appointmentId } = await openVisit();
    const onBehalfOf = () => 'acct_shop';
    const phone = startPhone(shop, { reader: { onBehalfOf: 'acct_shop' }, sdk: { onBehalfOf } });
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.seen.connections).toMatchObject([{ onBehalfOf: 'acct_shop' }]);
  });

  it('connects again for another account at the same location', async () => {
    const shop = await openShop();
    let account = 'acct_shop';
    const onBehalfOf = () => account;
    const phone = startPhone(shop, { reader: { onBehalfOf }, sdk: { onBehalfOf } });
    expect(await phone.register.wake()).toBe(true);
    expect(await phone.register.wake()).toBe(true);
    expect(phone.seen.connections).toHaveLength(1);
    account = 'acct_branch';
    expect(await phone.register.wake()).toBe(true);
    expect(phone.seen.calls).toEqual(['disconnectReader', 'clearCachedCredentials']);
    const appointmentId = await shop.putAppointment('a-1');
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    const accounts = phone.seen.connections.map((connection) => connection.onBehalfOf);
    expect(accounts).toEqual(['acct_shop', 'acct_branch']);
  });

  it('retrieves a payment again that the SDK forgot', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop);
    let isForgotten = false;
    phone.register.subscribe(() => {
      if (isForgotten || phone.register.getSnapshot().step !== 'presenting') return;
      isForgotten = true;
      void phone.sdk.disconnectReader();
    });
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(isForgotten).toBe(true);
    expect(phone.seen.processed).toBe(1);
  });

  it('has no problem of the service once the phone has found its terminal', async () => {
    const shop = await openShop();
    expect(await startPhone(shop).register.wake()).toBe(true);
    const error = { code: 'LOCATION_SERVICES_DISABLED', message: 'Location services are off.' };
    const { terminal } = startPhone(shop, { sdk: { connects: [error] } });
    const { signal } = new AbortController();
    expect(await terminal.ready(signal)).toEqual({
      failed: 'Switch on the location services of the phone.',
      error,
      needsPerson: true,
    });
    expect(terminal.lastProblem()).toBeUndefined();
    expect(terminal.lastError()).toEqual(error);
  });

  it('has no problem of a token once the next one was made', async () => {
    const shop = await openShop();
    const phone = startPhone(shop);
    expect(await phone.register.wake()).toBe(true);
    shop.banned.add('ada');
    await expect(phone.terminal.tokenProvider()).rejects.toThrow();
    expect(phone.terminal.lastProblem()).toMatchObject({ type: 'unauthorized' });
    shop.banned.clear();
    await phone.terminal.tokenProvider();
    expect(phone.terminal.lastProblem()).toBeUndefined();
  });

  it('connects without a restart once the shop has a location', async () => {
    const shop = await openShop();
    const business = { id: 'shop', name: 'Marlow & Sons' };
    const account = { id: 'acct_shop', currency: 'eur' };
    need(await shop.chairside.records.putBusiness({ ...business, processorAccount: account }));
    const { terminal } = startPhone(shop);
    const { signal } = new AbortController();
    expect(await terminal.ready(signal)).toMatchObject({
      failed: 'The shop has no terminal location.',
    });
    const processorAccount = { ...account, terminalLocation: 'loc_shop' };
    need(await shop.chairside.records.putBusiness({ ...business, processorAccount }));
    expect(await terminal.ready(signal)).toBeUndefined();
  });

  it('initializes the SDK again after its provider was mounted again', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop);
    expect(await phone.register.wake()).toBe(true);
    phone.remount();
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.seen.initialized).toBe(2);
  });

  it.each([
    [['declinesApproved'], 1],
    [['losesApproved'], 1],
    [['throws'], 1],
    [['isEmpty'], 1],
    // It waits for the end of the canceled collect, and the card was approved meanwhile.
    [['approvesLate'], 1],
    [['waits', 'waits'], 3],
  ] as const)(
    'charges once, in one collect at a time, if the SDK %j',
    async (faults, processed) => {
      const { shop, appointmentId } = await openVisit();
      const phone = startPhone(shop, { faults });
      expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
      expect(phone.seen).toMatchObject({ processed, overlaps: 0 });
    },
  );

  it('begins no second collect beside one that hangs, until the app is restarted', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const phone = startPhone(shop, { faults: ['hangs'], journal });
    for (let tries = 0; tries < 3; tries += 1) {
      expect(await phone.register.take({ appointmentId })).toMatchObject({ reason: 'readerBusy' });
    }
    expect(phone.seen).toMatchObject({ processed: 1, overlaps: 0 });
    const restarted = startPhone(shop, { journal });
    expect(await restarted.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
  });

  it.each(['SESSION_EXPIRED', 'NOT_CONNECTED_TO_READER', 'CONNECTION_TOKEN_PROVIDER_ERROR'])(
    'disconnects and connects again after %s, although the SDK says "connected"',
    async (code) => {
      const { shop, appointmentId } = await openVisit();
      const error = { code, message: 'In vain.' };
      const sdk = { retrievals: [error] };
      const phone = startPhone(shop, { faults: [error], sdk });
      expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
      expect(phone.seen.calls).toEqual(['disconnectReader', 'disconnectReader']);
      expect(phone.seen.locations).toHaveLength(3);
    },
  );

  it('connects at the shop where the barber works now, and calls no card declined (D213)', async () => {
    const shop = await openShop();
    const { records } = shop.chairside;
    const phone = startPhone(shop);
    expect(await phone.register.wake()).toBe(true);
    const processorAccount = { id: 'acct_2', currency: 'eur', terminalLocation: 'loc_branch' };
    need(await records.putBusiness({ id: 'branch', name: 'Branch', processorAccount }));
    need(await records.putBarber({ id: 'ada', businessId: 'branch' }));
    const appointmentId = await shop.putAppointment('b-1', '45.00', 'ada', 'branch');
    const said: unknown[] = [];
    phone.terminal.attach({
      ...phone.sdk,
      async retrievePaymentIntent(secret) {
        const { locationId } = await phone.sdk.getConnectedReader();
        if (locationId === 'loc_branch') return phone.sdk.retrievePaymentIntent(secret);
        return { error: { code: 'DECLINED_BY_STRIPE_API', message: 'No such payment_intent' } };
      },
    });
    const { retrieve } = phone.terminal;
    Object.assign(phone.terminal, {
      async retrieve(secret: string, signal: AbortSignal) {
        const retrieved = await retrieve(secret, signal);
        if ('failed' in retrieved) said.push(retrieved.failed);
        return retrieved;
      },
    });
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(said).toEqual(['The card reader failed. Try again.']);
    expect(phone.seen.locations).toEqual(['loc_shop', 'loc_branch']);
  });

  it('keeps a new connection after the SDK dropped the old one itself', async () => {
    const { shop, appointmentId } = await openVisit();
    const error = { code: 'NOT_CONNECTED_TO_READER', message: 'In vain.' };
    const phone = startPhone(shop, { faults: [error] });
    phone.register.subscribe(() => {
      if (phone.register.getSnapshot().step === 'checking') phone.disconnect();
    });
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(await phone.register.wake()).toBe(true);
    expect(phone.seen.locations).toHaveLength(2);
    expect(phone.seen.calls).toEqual([]);
  });

  it('is not ready while the SDK reconnects, and connects anew if that hangs', async () => {
    const shop = await openShop();
    const phone = startPhone(shop);
    expect(await phone.register.wake()).toBe(true);
    phone.say('reconnecting');
    expect(await phone.register.wake()).toBe(true);
    expect(phone.seen.calls).toEqual(['disconnectReader']);
    expect(phone.seen.locations).toHaveLength(2);
  });

  it('connects anew if the SDK says "not connected" and "already connected"', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop);
    expect(await phone.register.wake()).toBe(true);
    phone.say('notConnected');
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.seen.calls).toEqual(['disconnectReader']);
  });

  it('connects again after the process of the reader crashed on Android', async () => {
    const { shop, appointmentId } = await openVisit();
    const error = {
      code: 'UNEXPECTED_SDK_ERROR',
      message: 'com.stripe.core.aidlrpc.AidlRpcException: Failed to send request to AIDL server.',
    };
    const phone = startPhone(shop, { faults: [error] });
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.seen.calls).toEqual(['disconnectReader']);
  });

  it('is not ready after a connection without a reader', async () => {
    const shop = await openShop();
    const phone = startPhone(shop, { sdk: { connects: ['isEmpty'] } });
    expect(await phone.register.wake()).toBe(false);
    expect(await phone.register.wake()).toBe(true);
  });

  it('has one connection in flight, for which everybody waits', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop);
    const [isReady, taken] = await Promise.all([
      phone.register.wake(),
      phone.register.take({ appointmentId }),
    ]);
    expect(isReady).toBe(true);
    expect(taken).toMatchObject({ step: 'captured' });
    expect(phone.seen.locations).toHaveLength(1);
  });

  it('lets the first connection set up the phone, which takes minutes', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop, { sdk: { connects: [120_000] } });
    expect(await phone.register.take({ appointmentId })).toMatchObject({
      reason: 'reader',
      charged: 'no',
      readerSaid: expect.stringContaining('Keep this app open'),
    });
    while (!(await phone.register.wake())) expect(phone.seen.calls).toEqual([]);
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.seen.locations).toHaveLength(1);
  });

  it('cancels a first connection that is not ready after three minutes', async () => {
    const shop = await openShop();
    const phone = startPhone(shop, { sdk: { connects: ['hangs'] } });
    const began = phone.time.now();
    while (phone.seen.calls.length === 0) expect(await phone.register.wake()).toBe(false);
    expect(phone.seen.calls).toEqual(['cancelEasyConnect']);
    expect(phone.time.now() - began).toBeGreaterThanOrEqual(180_000);
    expect(phone.time.now() - began).toBeLessThan(240_000);
    expect(await phone.register.wake()).toBe(true);
  });

  it('cancels a later connection that hangs, and says what to do', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop, { sdk: { connects: [undefined, 'hangs'] } });
    expect(await phone.register.wake()).toBe(true);
    phone.disconnect();
    const began = phone.time.now();
    expect(await phone.register.take({ appointmentId })).toMatchObject({
      reason: 'reader',
      charged: 'no',
      readerSaid: expect.stringContaining('Close the app'),
    });
    expect(phone.time.now() - began).toBeLessThan(60_000);
    expect(phone.seen.calls).toEqual(['cancelEasyConnect']);
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
  });

  const busy = { code: 'READER_BUSY', message: 'The reader is busy.' };
  const forbidden = { code: 'UNSUPPORTED_OPERATION', message: 'Operation not permitted.' };
  const noTerms = { code: 'CANCELED', message: 'Canceled.' };
  const noSession = {
    code: 'DECLINED_BY_STRIPE_API',
    message: 'You did not provide an API key.',
  };
  const brandNew = { code: 'BRAND_NEW', message: 'Something new.' };
  const noAccount = { message: expect.stringContaining('on_behalf_of') };
  const twice = (error: SdkError) => [error, error];

  it.each<[string, PhoneOptions, RegExp, object, [connects: number, cards: number]]>([
    [
      'a reader that stays busy',
      { sdk: { connects: Array(6).fill(busy) } },
      /Close the app, open it again/,
      busy,
      [5, 0],
    ],
    [
      'iOS that permits no reader',
      { sdk: { connects: [{ ...forbidden, nativeErrorCode: '2900' }] } },
      /Close the app, open it again.*another phone.*maker/,
      forbidden,
      [1, 0],
    ],
    [
      'terms that are refused, once',
      { sdk: { connects: twice({ ...noTerms, nativeErrorCode: '2970' }) } },
      /terms/,
      noTerms,
      [1, 0],
    ],
    [
      'a lost session at the card, which declines none',
      { faults: [noSession] },
      /Close the app, open it again/,
      noSession,
      [1, 1],
    ],
    [
      'a lost session before the card, which declines none',
      { sdk: { retrievals: [noSession] } },
      /Close the app, open it again/,
      noSession,
      [1, 0],
    ],
    [
      'a code that it does not know',
      { faults: Array(5).fill(brandNew) },
      /^The card reader failed, for a reason that this app does not know.$/,
      brandNew,
      [1, 5],
    ],
    [
      'an app that does not pass the account',
      { sdk: { onBehalfOf: () => 'acct_shop' } },
      /tell the maker of the app/,
      noAccount,
      [1, 1],
    ],
  ])('says what to do about %s', async (_, options, words, error, [connects, cards]) => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop, options);
    expect(await phone.register.take({ appointmentId })).toMatchObject({
      reason: 'reader',
      charged: 'no',
      readerSaid: expect.stringMatching(words),
      readerError: error,
    });
    expect([phone.seen.locations.length, phone.seen.processed]).toEqual([connects, cards]);
    for (const connection of phone.seen.connections) {
      expect(connection).not.toHaveProperty('onBehalfOf');
    }
  });

  it('is ready if it connects just as it is canceled', async () => {
    const shop = await openShop();
    const phone = startPhone(shop, { sdk: { connects: [undefined, 46_000] } });
    expect(await phone.register.wake()).toBe(true);
    phone.disconnect();
    expect(await phone.register.wake()).toBe(true);
    expect(phone.seen.calls).toEqual(['cancelEasyConnect']);
  });

  it('ends within half a minute if the service gives no token', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop, {
      fetch: async (url, init) => {
        if (url.endsWith('/connectionTokens')) throw new Error('offline');
        return shop.fetch(url, init);
      },
    });
    const began = phone.time.now();
    expect(await phone.register.take({ appointmentId })).toMatchObject({ reason: 'reader' });
    expect(phone.time.now() - began).toBeLessThan(30_000);
  });

  it('shows the card screen once if a person closes it', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop, { faults: ['closes'] });
    expect(await phone.register.take({ appointmentId })).toMatchObject({
      reason: 'sheetClosed',
      charged: 'no',
    });
    expect(phone.seen.processed).toBe(1);
  });

  it('says that a second card was declined too, and asks for no third by itself', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const first = openTill(shop, { journal, reader: readerOf(shop, 'declined').reader });
    expect(await first.register.take({ appointmentId })).toMatchObject({ step: 'declined' });
    const faults = [{ code: 'DECLINED_BY_STRIPE_API', message: 'The card was declined.' }];
    const phone = startPhone(shop, { faults, journal });
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'declined' });
    expect(phone.seen.processed).toBe(1);
  });

  it('does not know yet whether a card was charged that the phone sends later', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop, { faults: ['storesOffline'] });
    expect(await phone.register.take({ appointmentId })).toMatchObject({
      reason: 'storedOffline',
      charged: 'unknown',
    });
    expect(phone.seen.processed).toBe(1);
  });

  it('shows no card screen while the SDK is offline', async () => {
    const { shop, appointmentId } = await openVisit();
    const phone = startPhone(shop);
    phone.goOffline();
    expect(await phone.register.take({ appointmentId })).toMatchObject({
      reason: 'reader',
      readerSaid: 'This phone is offline. Connect it to the internet.',
    });
    expect(phone.seen.processed).toBe(0);
  });

  it('leaves tips to the screen before the card, and takes no real payment by a simulated reader', async () => {
    const { shop, appointmentId } = await openVisit();
    const reader = { simulated: true };
    const live = startPhone(shop, { reader, sdk: { isLive: true } });
    expect(await live.register.take({ appointmentId })).toMatchObject({ reason: 'reader' });
    expect(live.seen.processed).toBe(0);
    const phone = startPhone(shop, { device: 'phone-2' });
    expect(await phone.register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(phone.tips).toEqual([true]);
  });

  it('leaves the shop of the person before', async () => {
    const shop = await openShop();
    const ada = startPhone(shop);
    expect(await ada.register.wake()).toBe(true);
    await ada.terminal.signOut();
    expect(ada.seen.calls).toEqual(['disconnectReader', 'clearCachedCredentials']);

    await ada.sdk.easyConnect({ discoveryMethod: 'tapToPay', locationId: 'loc_elsewhere' });
    expect(await ada.register.wake()).toBe(true);
    expect(ada.seen.calls.slice(2)).toEqual(['disconnectReader', 'clearCachedCredentials']);
    expect(ada.seen.locations.at(-1)).toBe('loc_shop');
  });

  it('registers anew after a 403, so that each person of a phone has a terminal', async () => {
    const shop = await openShop();
    const ada = startPhone(shop);
    expect(await ada.register.wake()).toBe(true);
    const sameName = startPhone(shop, { token: 'ben' });
    expect(await sameName.register.wake()).toBe(false);
    const ben = startPhone(shop, { token: 'ben', device: 'phone-1:user-ben' });
    expect(await ben.register.wake()).toBe(true);

    const handed = startPhone(shop, { token: () => person, device: 'phone-2' });
    let person = 'ada';
    expect(await handed.register.wake()).toBe(true);
    person = 'ben';
    await expect(handed.terminal.tokenProvider()).rejects.toThrow();
    expect(handed.terminal.terminal()).toBeUndefined();
  });
});
