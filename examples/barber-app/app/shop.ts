import { createContext, useContext } from 'react';
import type { Cash } from './cash.ts';
import type { Missing } from './readiness.ts';
import type { Today } from './today.ts';
import type { Visits } from './visits.ts';

/** What the screens use. A phone and a page make it in ways of their own: `till.tsx`, `web/index.tsx`. */
export interface Shop {
  /** The visits in the list. */
  readonly today: readonly Today[];
  /** What is known of each visit. It has the register, and the owner's refunds if an owner is signed in. */
  readonly visits: Visits;
  /** Cash beside the card; `undefined` if the shop takes none. */
  readonly cash?: Cash | undefined;
  /** The parts of Tap to Pay that are missing; empty if a customer can pay. */
  readonly missing: () => Promise<readonly Missing[]>;
  /** A payment's receipt as text; `undefined` if it could not be read. */
  readonly receiptOf: (paymentId: string) => Promise<string | undefined>;
  /** Plays the sound of an approved or a declined card. Its errors are ignored. */
  readonly sound: (ended: 'good' | 'bad') => void | Promise<void>;
}

export const ShopContext = createContext<Shop | undefined>(undefined);

export function useShop(): Shop {
  const shop = useContext(ShopContext);
  if (shop === undefined) throw new Error('There is no ShopContext above this screen.');
  return shop;
}
