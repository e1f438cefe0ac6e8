import { createIds, systemClock } from '@chairside/core';

/** As Chairside makes them, in the order of time: ids in no order cost the floor a third. */
export const ids = createIds(systemClock, (bytes) => crypto.getRandomValues(bytes));
