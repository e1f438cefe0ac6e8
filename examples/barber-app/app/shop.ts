import type { TipClient, TipRegister } from '@chairside/client/tips';
import { createContext, useContext } from 'react';
import type { Connection } from './connection.ts';
import type { Missing } from './readiness.ts';

/** What the screens use. A phone and a page make it in ways of their own: `till.tsx`, `web/index.tsx`. */
export interface Shop {
  readonly client: TipClient;
  readonly register: TipRegister;
  /** Whether the shop has tips switched on. Without it, the calls with tips are those without. */
  readonly takesTips: boolean;
  readonly connection: Connection;
  /** Present if an owner of the shop is signed in. */
  readonly refunds?: Pick<TipClient, 'refundPayment'>;
  /** The parts of Tap to Pay that are missing; empty if a customer can pay. */
  readonly missing: () => Promise<readonly Missing[]>;
}

export const ShopContext = createContext<Shop | undefined>(undefined);

export function useShop(): Shop {
  const shop = useContext(ShopContext);
  if (shop === undefined) throw new Error('There is no ShopContext above this screen.');
  return shop;
}
