// The same screens in a browser, over the local server and its simulated terminal. The tests drive them.
import { localStorageJournal } from '@chairside/client/journals';
import { simulatedTerminal } from '@chairside/client/simulated-terminal';
import { createTipClient, createTipRegister } from '@chairside/client/tips';
import { AppRegistry, Button, Text, View } from 'react-native';
import { App } from '../app/App.tsx';
import { watchConnection } from '../app/connection.ts';
import { findMissing } from '../app/readiness.ts';
import type { Shop } from '../app/shop.ts';

const { origin, search } = location;
const connection = watchConnection((url, init) => fetch(url, init));
const options = { baseUrl: origin, fetch: connection.fetch };
const client = createTipClient({ ...options, accessToken: () => 'demo-barber' });

let hold: (card: string) => void = () => undefined;
const reader = simulatedTerminal({
  baseUrl: origin,
  card: () =>
    new Promise((resolve) => {
      hold = resolve;
    }),
});
const register = createTipRegister({
  client,
  reader,
  subject: 'user_ada',
  currency: 'EUR',
  journal: localStorageJournal(localStorage),
});

/**
 * `?refused=3930` plays a phone whose SDK refuses the connection with this error. `?tips` is for a server that
 * takes tips.
 */
const query = new URLSearchParams(search);
const refused = query.get('refused');
const shop: Shop = {
  client,
  register,
  takesTips: query.has('tips'),
  connection,
  refunds: createTipClient({ ...options, accessToken: () => 'demo-business' }),
  missing: () =>
    findMissing({
      sdk: undefined,
      isAllowed: async () => true,
      connect: async () => refused === null && (await register.wake()),
      refused: () => ({
        code: 'UNSUPPORTED_OPERATION',
        message: '',
        nativeErrorCode: `${refused}`,
      }),
      isUnregistered: () => false,
    }),
};

function Page() {
  return (
    <View style={{ flex: 1 }}>
      <App shop={shop} />
      <View style={{ padding: 16, gap: 8 }}>
        <Text accessibilityRole="header">The customer holds</Text>
        <Button title="A card" onPress={() => hold('visa_credit')} />
        <Button title="A card that is declined" onPress={() => hold('declined')} />
      </View>
    </View>
  );
}

AppRegistry.registerComponent('barber', () => Page);
AppRegistry.runApplication('barber', { rootTag: document.getElementById('root') });
