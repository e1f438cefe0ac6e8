import { createClient, createRegister } from '@chairside/client';
import { sqliteJournal } from '@chairside/client/journals';
import { receiptOperations } from '@chairside/client/receipts';
import { refundOperations } from '@chairside/client/refunds';
import { shareOperations } from '@chairside/client/shares';
import { stripeTerminal } from '@chairside/client/stripe-terminal';
import { tenderOperations } from '@chairside/client/tenders';
import { receiptToText } from '@chairside/core/receipt';
import {
  type PaymentIntent,
  requestNeededAndroidPermissions,
  StripeTerminalProvider,
  useStripeTerminal,
} from '@stripe/stripe-terminal-react-native';
import { createAudioPlayer } from 'expo-audio';
import { randomUUID } from 'expo-crypto';
import { openDatabaseAsync } from 'expo-sqlite';
import { useEffect } from 'react';
import { AppState, Platform } from 'react-native';
import { App } from './App.tsx';
import { createCash } from './cash.ts';
import { deviceIdentifier } from './device.ts';
import { findMissing } from './readiness.ts';
import type { Shop } from './shop.ts';
import { barbers, today, visitOf } from './today.ts';
import { createVisits } from './visits.ts';

/** The signed-in barber. A real app gets all three from its own sign-in. For the next person it makes new clients. */
const session = { subject: 'user_ada', token: 'demo-barber', ownersToken: 'demo-business' };
const options = {
  baseUrl: 'http://192.168.0.2:3000',
  newKey: randomUUID,
};
const client = createClient(
  { ...options, accessToken: () => session.token },
  { ...receiptOperations, ...tenderOperations },
);
/** Leave it out unless an owner of the shop is signed in. */
const ownersClient = createClient(
  { ...options, accessToken: () => session.ownersToken },
  { ...refundOperations, ...shareOperations },
);

const reader = stripeTerminal<PaymentIntent.Type>({
  client,
  device: {
    platform: Platform.OS === 'ios' ? 'ios' : 'android',
    // Each person who signs in on this phone has a terminal of their own.
    deviceIdentifier: `${deviceIdentifier()}:${session.subject}`,
    // On Android `Platform.Version` is the API level.
    osVersion: Platform.OS === 'android' ? Platform.constants.Release : String(Platform.Version),
  },
  async isAllowed() {
    if (Platform.OS !== 'android') return true;
    return (await requestNeededAndroidPermissions()).error === null;
  },
});

const register = createRegister({
  client,
  reader,
  subject: session.subject,
  currency: 'EUR',
  journal: sqliteJournal(() => openDatabaseAsync('till.db', { useNewConnection: true })),
});

const sounds = {
  good: createAudioPlayer(require('../assets/approved.wav')),
  bad: createAudioPlayer(require('../assets/declined.wav')),
};

let sdk: ReturnType<typeof useStripeTerminal> | undefined;

/** Whether the shop takes cash beside cards, and its server serves tenders. */
const takesCash: boolean = false;
const cash = takesCash ? createCash({ tenders: client, currency: 'EUR' }) : undefined;

/** Whether one card pays several visits, and payments are shared and moved. Its server serves shares then. */
const sharesPayments: boolean = false;

const shop: Shop = {
  today,
  cash,
  visits: createVisits({
    client,
    register,
    refunds: ownersClient,
    cash,
    shares: sharesPayments
      ? {
          client: ownersClient,
          visits: today.map(({ id, customer, service }) => ({
            id,
            name: `${customer}, ${service}`,
          })),
          barbers,
        }
      : undefined,
    takesTips: false,
    currency: 'EUR',
    priceOf: (id) => visitOf(today, id).price,
  }),
  async receiptOf(contactlessPaymentId) {
    const read = await client.getReceipt({ contactlessPaymentId });
    return read.map((receipt) => receiptToText(receipt)).unwrapOr(undefined);
  },
  async sound(ended) {
    await sounds[ended].seekTo(0);
    sounds[ended].play();
  },
  missing: () =>
    findMissing({
      sdk,
      connect: register.wake,
      refused: reader.lastError,
      isUnregistered: () => reader.lastProblem() !== undefined,
    }),
};

export function Till() {
  return (
    <StripeTerminalProvider tokenProvider={reader.tokenProvider}>
      <Phone />
    </StripeTerminalProvider>
  );
}

function Phone() {
  const terminal = useStripeTerminal();
  sdk = terminal;
  reader.attach(terminal);

  useEffect(() => {
    const { resume } = shop.visits;
    void resume();
    const listening = AppState.addEventListener('change', (state) => {
      if (state !== 'active') return;
      void resume();
      // Tap to Pay disconnects in the background.
      void register.wake();
    });
    return () => listening.remove();
  }, []);

  return <App shop={shop} />;
}
