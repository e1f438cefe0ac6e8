import type { Migration } from '@chairside/core/storage';
import { released } from '../src/migrate.ts';

/** A made-up next version that only adds to the schema. */
export const additive: readonly Migration[] = [
  ...released,
  { text: 'ALTER TABLE @payments ADD COLUMN IF NOT EXISTS note TEXT', oldestVersion: 1 },
];
