const atProcessor = [
  'processor',
  'keyedProcessor',
  'capture',
  'cancel',
  'reading',
  'refund',
] as const;
const everywhere = ['read', 'commit', ...atProcessor] as const;
const keyed = ['keyedProcessor', 'capture', 'cancel', 'refund'] as const;
const written = ['commit', ...keyed] as const;

/** The kind of a call. Each kind can have only some of the faults. */
export type PortKind = (typeof everywhere)[number];

/** Every fault, with the kinds of call that can have it. */
export const faultKinds = {
  /** Not applied, with a definite error. */
  fails: everywhere,
  /** Not applied, with an unknown outcome. */
  vanishes: written,
  /** Applied, with an unknown outcome. */
  losesReply: ['commit', ...atProcessor],
  /** Delivered twice. */
  repeats: written,
  /** The outcome is unknown, and the call is applied long after the caller has given up. */
  landsLater: keyed,
  /** The caller pauses for longer than its lease, then makes the call. */
  stallsBefore: everywhere,
  /** Applied; the caller pauses for longer than its lease before it continues. */
  stallsAfter: everywhere,
  /** The same for minutes or days, while another node works on the same records. */
  stopsAfter: everywhere,
  /** The caller's process dies before the call, or after it was applied. */
  crashesBefore: everywhere,
  crashesAfter: everywhere,
  /** The processor's internal error, stored under the key; applied or not. */
  breaks: atProcessor,
  breaksAfterApplying: keyed,
  /** The processor denies knowing the payment, although a capture may have been sent. */
  missing: ['reading', 'cancel'],
  /** The processor's rejections. */
  rateLimited: atProcessor,
  notSetUp: atProcessor,
  rejects: keyed,
  /** The processor accepts a capture, and ends it much later, perhaps as failed. */
  endsLater: ['capture'],
  /** The processor accepts a refund as pending, and ends it much later, perhaps as failed. */
  pends: ['refund'],
  /** A refund succeeds, and fails much later. */
  failsLater: ['refund'],
  /** An operator refunds the rest of the payment just before the call arrives. */
  overtaken: ['refund'],
} as const satisfies Readonly<Record<string, readonly PortKind[]>>;

export type FaultKind = keyof typeof faultKinds;

export const allFaultKinds = Object.keys(faultKinds).filter(isFaultKind);

/** The faults of refunds alone, which are drawn with them. */
export const refundFaultKinds = ['pends', 'failsLater', 'overtaken'] as const;

const drawnElsewhere: readonly FaultKind[] = [
  ...(['missing', 'endsLater', 'stopsAfter'] as const),
  ...refundFaultKinds,
];
/** The faults that every plan may draw; `missing` is drawn with the host's changes, `stopsAfter` never. */
export const drawnFaultKinds = allFaultKinds.filter((kind) => !drawnElsewhere.includes(kind));

function isFaultKind(name: string): name is FaultKind {
  return Object.hasOwn(faultKinds, name);
}

export function canBefall(kind: FaultKind, port: PortKind): boolean {
  const ports: readonly PortKind[] = faultKinds[kind];
  return ports.includes(port);
}
