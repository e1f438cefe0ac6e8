/** Cards of both processors, by their behaviour. */
export const cardNames = [
  'visa_credit',
  'declined',
  'declined_then_approved',
  'slow_to_approve',
  'partially_authorized',
  'expires_soon',
  'canceled',
] as const;
export type SweptCard = (typeof cardNames)[number];

/** A declined card is followed by a good one, as at a real till. */
export function cardOf(card: SweptCard, taps: number): SweptCard {
  const isRefused = card === 'declined' || card === 'canceled' || card === 'partially_authorized';
  return isRefused && taps > 1 ? 'visa_credit' : card;
}
