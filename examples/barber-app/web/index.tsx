// The same screens in a browser, over the local server and its simulated terminal. The tests drive them.
import { createClient, createRegister } from '@chairside/client';
import { localStorageJournal } from '@chairside/client/journals';
import { receiptOperations } from '@chairside/client/receipts';
import { refundOperations } from '@chairside/client/refunds';
import { shareOperations } from '@chairside/client/shares';
import { simulatedTerminal } from '@chairside/client/simulated-terminal';
import { tenderOperations } from '@chairside/client/tenders';
import { receiptToText } from '@chairside/core/receipt';
import { AppRegistry, useWindowDimensions, View } from 'react-native';
import { App } from '../app/App.tsx';
import { createCash } from '../app/cash.ts';
import { findMissing } from '../app/readiness.ts';
import type { Shop } from '../app/shop.ts';
import { Button, gap, rowHeight, useTheme } from '../app/theme.tsx';
import { barbers, today, visitOf } from '../app/today.ts';
import { createVisits } from '../app/visits.ts';

const { origin, search } = location;
const options = { baseUrl: origin };
const client = createClient(
  { ...options, accessToken: () => 'demo-barber' },
  { ...receiptOperations, ...tenderOperations },
);
const ownersClient = createClient(
  { ...options, accessToken: () => 'demo-business' },
  { ...refundOperations, ...shareOperations },
);

/** Where the browser denies its storage, one that fails at each use: the app says so, and takes no card. */
function storage(): Storage {
  try {
    return localStorage;
  } catch (error) {
    const fail = () => {
      throw error;
    };
    return { length: 1, key: fail, getItem: fail, setItem: fail, removeItem: fail, clear: fail };
  }
}

let hold: (card: string) => void = () => undefined;
const reader = simulatedTerminal({
  baseUrl: origin,
  card: () =>
    new Promise((resolve) => {
      hold = resolve;
    }),
});
const register = createRegister({
  client,
  reader,
  subject: 'user_ada',
  currency: 'EUR',
  journal: localStorageJournal(storage()),
});

/**
 * `?refused=3930` plays a phone whose SDK refuses the connection with this error. `?tips` is for a server that
 * takes tips, `?cash` for one that takes cash, `?shares` for one that shares payments.
 */
const query = new URLSearchParams(search);
const refused = query.get('refused');
/** `?visits=a,b` lists other visits of 45.00, for tests that need many. */
const shown =
  query
    .get('visits')
    ?.split(',')
    .map((id) => ({ id, customer: 'Kim Noor', service: 'Cut', time: '10:00', price: '45.00' })) ??
  today;
const cash = query.has('cash') ? createCash({ tenders: client, currency: 'EUR' }) : undefined;
const shop: Shop = {
  today: shown,
  cash,
  visits: createVisits({
    client,
    register,
    refunds: ownersClient,
    cash,
    shares: query.has('shares')
      ? {
          client: ownersClient,
          visits: shown.map(({ id, customer, service }) => ({
            id,
            name: `${customer}, ${service}`,
          })),
          barbers,
        }
      : undefined,
    takesTips: query.has('tips'),
    currency: 'EUR',
    priceOf: (id) => visitOf(shown, id).price,
  }),
  async receiptOf(contactlessPaymentId) {
    const read = await client.getReceipt({ contactlessPaymentId });
    return read.map((receipt) => receiptToText(receipt)).unwrapOr(undefined);
  },
  sound(ended) {
    const audio = new AudioContext();
    const tone = audio.createOscillator();
    tone.frequency.value = ended === 'good' ? 880 : 220;
    tone.connect(audio.destination);
    tone.onended = () => void audio.close();
    tone.start();
    tone.stop(audio.currentTime + 0.25);
  },
  missing: () =>
    findMissing({
      sdk: undefined,
      connect: async () => refused === null && (await register.wake()),
      refused: () => ({
        // The numbers are of iOS, the names of the SDK.
        code: /^\d/.test(`${refused}`) ? 'UNSUPPORTED_OPERATION' : `${refused}`,
        message: '',
        nativeErrorCode: `${refused}`,
      }),
      isUnregistered: () => false,
    }),
};

/** The app, and below it the cards that a customer may hold. */
function Page() {
  const { height } = useWindowDimensions();
  const { ground } = useTheme();
  return (
    <View style={{ height, backgroundColor: ground }}>
      <App shop={shop} />
      <View style={{ flexDirection: 'row', gap, padding: gap, height: rowHeight + 2 * gap }}>
        <Button title="A card" onPress={() => hold('visa_credit')} />
        <Button title="A card that is declined" onPress={() => hold('declined')} />
      </View>
    </View>
  );
}

AppRegistry.registerComponent('barber', () => Page);
AppRegistry.runApplication('barber', { rootTag: document.getElementById('root') });
