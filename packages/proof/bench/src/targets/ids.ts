import { createIds, systemClock } from '@chairside/core';

/** Chairside's ids, ordered by time. Random ids cost the floor a third. */
export const ids = createIds(systemClock, (bytes) => crypto.getRandomValues(bytes));
