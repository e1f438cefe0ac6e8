export interface Today {
  readonly id: string;
  readonly customer: string;
  readonly service: string;
  readonly time: string;
  /** What the customer owes. */
  readonly price: string;
}

/** A real app lists today's appointments from its own backend. */
export const today: readonly Today[] = [
  {
    id: 'appointment_open_001',
    customer: 'Kim Noor',
    service: 'Cut',
    time: '10:00',
    price: '45.00',
  },
  {
    id: 'appointment_open_002',
    customer: 'Sam Lee',
    service: 'Cut and shave',
    time: '10:45',
    price: '45.00',
  },
  {
    id: 'appointment_open_003',
    customer: 'Maximiliane Wolkenstein-Rodenegg',
    service: 'Colour',
    time: '11:30',
    price: '45.00',
  },
];

/** A real app lists the shop's barbers from its own backend. */
export const barbers = [
  { id: 'barber_ada', name: 'Ada' },
  { id: 'barber_ben', name: 'Ben' },
];

/** A payment of another day may be left on the phone. Its price is not known here. */
export function visitOf(visits: readonly Today[], id: string): Today {
  const earlier = {
    id,
    customer: 'An earlier visit',
    service: 'not of today',
    time: '',
    price: '',
  };
  return visits.find((visit) => visit.id === id) ?? earlier;
}

/** The time between two readings of a list: a person may read 300 times a minute, and a visit takes a few. */
export const readEveryMs = (visits: number): number => Math.max(8000, visits * 1000);
