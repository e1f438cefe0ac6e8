import { expectTypeOf, it } from 'vitest';
import type { StoreUnderTest } from '../src/contracts.ts';
import { createMapStore } from '../src/index.ts';

const store = createMapStore();
const reopen = async () => createMapStore({ from: store.snapshot() });
const inMemory = 'a Map ends with its process';

it('is a store with a way to reopen it, or a reason for none', () => {
  expectTypeOf({ store, reopen }).toExtend<StoreUnderTest>();
  expectTypeOf({ store, inMemory }).toExtend<StoreUnderTest>();
  expectTypeOf({ store }).not.toExtend<StoreUnderTest>();
  expectTypeOf({ store, reopen, inMemory }).not.toExtend<StoreUnderTest>();
});
