import { createClient, createRegister } from '@chairside/client';
import { sqliteJournal } from '@chairside/client/journals';
import { stripeTerminal } from '@chairside/client/stripe-terminal';
import type { PaymentIntent } from '@stripe/stripe-terminal-react-native';
import { randomUUID } from 'expo-crypto';
import { openDatabaseAsync } from 'expo-sqlite';
import { Platform } from 'react-native';
import { deviceIdentifier } from './device.ts';

/** The signed-in barber. A real app gets both from its own sign-in. */
const session = { subject: 'user_ada', token: 'demo-barber' };

export const client = createClient({
  baseUrl: 'http://192.168.0.2:3000',
  newKey: randomUUID,
  accessToken: () => session.token,
});

export const reader = stripeTerminal<PaymentIntent.Type>({
  client,
  device: {
    platform: Platform.OS === 'ios' ? 'ios' : 'android',
    deviceIdentifier: deviceIdentifier(),
    osVersion: String(Platform.Version),
  },
});

export const register = createRegister({
  client,
  reader,
  subject: session.subject,
  currency: 'EUR',
  journal: sqliteJournal(() => openDatabaseAsync('till.db')),
});
