// Run by `pnpm trial app`: tests the adapter for demos with the real package and its own stand-in.
import assert from 'node:assert/strict';
import { asyncStorageJournal } from '@chairside/client/journals';
import type { AsyncStorage } from '@react-native-async-storage/async-storage';
import { createAsyncStorage } from '@react-native-async-storage/async-storage/jest';

const storage: AsyncStorage = createAsyncStorage('till');
const journal = asyncStorageJournal(storage);
await journal.set('chairside/1/ada/a-1', '{"state":"opening"}');
assert.equal(await journal.get('chairside/1/ada/a-1'), '{"state":"opening"}');
assert.equal(await journal.get('chairside/1/ada/a-2'), null);
assert.deepEqual(await journal.keys(), ['chairside/1/ada/a-1']);
// The entries outlive the app: a second journal over the same storage reads them.
const later = asyncStorageJournal(createAsyncStorage('till'));
assert.deepEqual(await later.keys(), ['chairside/1/ada/a-1']);
await later.remove('chairside/1/ada/a-1');
assert.deepEqual(await journal.keys(), []);
console.log('the journal works over AsyncStorage');
