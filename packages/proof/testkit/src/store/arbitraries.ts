// Records for a store: every optional field present or absent, text of any script.
export * from './arbitraries/events.ts';
export * from './arbitraries/host-records.ts';
export * from './arbitraries/money-back.ts';
export * from './arbitraries/payments.ts';
export * from './arbitraries/problems.ts';
export * from './arbitraries/terminals-and-setups.ts';
