import { dueMinor } from '@chairside/trials/shop';

export {
  account,
  ada,
  appointment,
  barber,
  business,
  manager,
  secretKey,
  webhookSecret,
} from '@chairside/trials/shop';

export interface NodeSetup {
  readonly connectionString: string;
  readonly processorHost: string;
  readonly processorPort: number;
  readonly port: number;
  /** How far the clock of this node is ahead. */
  readonly aheadMs: number;
}

export const nodePort = 3000;
export const dueCents = Number(dueMinor);
