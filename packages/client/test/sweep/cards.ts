/** Cards that both processors know, by what they do. */
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

/** A card that was refused is followed by a good one, as at a real till. */
export function cardOf(card: SweptCard, taps: number): SweptCard {
  const isRefused = card === 'declined' || card === 'canceled' || card === 'partially_authorized';
  return isRefused && taps > 1 ? 'visa_credit' : card;
}
