// Records for a store: every optional field present or absent, text of any script.
export * from './arbitraries/host-records.ts';
export * from './arbitraries/keys-and-events.ts';
export * from './arbitraries/payments.ts';
