export interface Today {
  readonly id: string;
  /** What the customer owes. */
  readonly price: string;
}

/** A real app lists today's appointments from its own backend. */
export const today: readonly Today[] = [
  { id: 'appointment_open_001', price: '45.00' },
  { id: 'appointment_open_002', price: '45.00' },
  { id: 'appointment_open_003', price: '45.00' },
];

export const priceOf = (appointmentId: string) =>
  today.find(({ id }) => id === appointmentId)?.price ?? '0.00';
