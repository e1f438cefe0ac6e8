import { expectTypeOf, it } from 'vitest';
import type { StoreUnderTest } from '../src/contracts.ts';
import { createMapStore } from '../src/index.ts';

const store = createMapStore();
const reopen = async () => createMapStore({ from: store.snapshot() });
const inMemory = 'a Map ends with its process';

it('is a store that says how it is opened again, or why it is not', () => {
  expectTypeOf({ store, reopen }).toExtend<StoreUnderTest>();
  expectTypeOf({ store, inMemory }).toExtend<StoreUnderTest>();
  expectTypeOf({ store }).not.toExtend<StoreUnderTest>();
  expectTypeOf({ store, reopen, inMemory }).not.toExtend<StoreUnderTest>();
});
