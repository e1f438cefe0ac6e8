import { openVisit } from '../shop.ts';
import { startPhone } from '../stripe-phone.ts';

/** The number of collects that began while another one had not ended. */
export async function countOverlaps(): Promise<number> {
  const { shop, appointmentId } = await openVisit();
  const { register, seen } = startPhone(shop, { faults: ['hangs'] });
  await register.take({ appointmentId });
  await register.take({ appointmentId });
  return seen.overlaps;
}
