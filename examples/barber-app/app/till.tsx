import { sqliteJournal } from '@chairside/client/journals';
import { stripeTerminal } from '@chairside/client/stripe-terminal';
import { createTipClient, createTipRegister } from '@chairside/client/tips';
import {
  type PaymentIntent,
  requestNeededAndroidPermissions,
  StripeTerminalProvider,
  useStripeTerminal,
} from '@stripe/stripe-terminal-react-native';
import { randomUUID } from 'expo-crypto';
import { openDatabaseAsync } from 'expo-sqlite';
import { useEffect } from 'react';
import { AppState, Platform } from 'react-native';
import { App } from './App.tsx';
import { watchConnection } from './connection.ts';
import { deviceIdentifier } from './device.ts';
import { findMissing, type SdkError } from './readiness.ts';
import type { Shop } from './shop.ts';

/** The signed-in barber. A real app gets all three from its own sign-in. */
const session = { subject: 'user_ada', token: 'demo-barber', ownersToken: 'demo-business' };
const connection = watchConnection((url, init) => fetch(url, init));
const options = {
  baseUrl: 'http://192.168.0.2:3000',
  newKey: randomUUID,
  fetch: connection.fetch,
};
const client = createTipClient({ ...options, accessToken: () => session.token });

const reader = stripeTerminal<PaymentIntent.Type>({
  client,
  device: {
    platform: Platform.OS === 'ios' ? 'ios' : 'android',
    deviceIdentifier: deviceIdentifier(),
    osVersion: String(Platform.Version),
  },
});

const register = createTipRegister({
  client,
  reader,
  subject: session.subject,
  currency: 'EUR',
  journal: sqliteJournal(() => openDatabaseAsync('till.db')),
});

let sdk: ReturnType<typeof useStripeTerminal> | undefined;
let refused: SdkError | undefined;

const shop: Shop = {
  client,
  register,
  takesTips: false,
  connection,
  refunds: createTipClient({ ...options, accessToken: () => session.ownersToken }),
  missing: () =>
    findMissing({
      sdk,
      async isAllowed() {
        if (Platform.OS !== 'android') return true;
        return (await requestNeededAndroidPermissions()).error === null;
      },
      connect: register.wake,
      refused: () => refused,
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
  reader.attach({
    ...terminal,
    async easyConnect(params) {
      const connected = await terminal.easyConnect(params);
      refused = connected.error;
      return connected;
    },
  });

  // Tap to Pay disconnects in the background.
  useEffect(() => {
    const listening = AppState.addEventListener('change', (state) => {
      if (state === 'active') void register.wake();
    });
    return () => listening.remove();
  }, []);

  return <App shop={shop} />;
}
