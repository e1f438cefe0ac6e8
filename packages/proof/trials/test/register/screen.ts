import type { Collected, Taking } from '@chairside/client';
import type { MaybePromise } from '@chairside/testkit';
import type { Run } from '@chairside/trials';
import type { PhonePlan } from './phone-plan.ts';

/** Compares one phone's screens and cards with the processor's books. */
export interface Screen {
  /** Presents the customer's card to the phone. */
  tap(run: Run, clientSecret: string, plan: PhonePlan): Collected;
  show(run: Run, taking: Taking): void;
  /** The service is certain that this payment was not charged, and never will be. */
  refused(paymentId: string): void;
  /** The broken promises at the end. */
  faults(run: Run): readonly string[];
}

interface Claim {
  readonly paymentId: string;
  readonly charged: 'yes' | 'no';
  readonly step: string;
  readonly taps: number;
}

const said = {
  authorized: 'approved',
  captured: 'approved',
  processing: 'processing',
  created: 'processing',
  failed: 'declined',
  canceled: 'canceled',
} as const;

export function createScreen(): Screen {
  const taps: { readonly paymentId: string; readonly said: Collected }[] = [];
  const claims: Claim[] = [];
  const refused = new Set<string>();
  /** The payments whose end was shown. */
  const told = new Set<string>();
  const faults: string[] = [];
  const entries = (run: Run) => atOnce(run.world().processor.entries());
  /** By the processor, or by the word of a person about an account that was gone (D201). */
  const isCaptured = (run: Run, id: string) => {
    const { of, outcome } = run.evidence.said.get(id) ?? {};
    if (of === 'payment' && outcome === 'tookPlace') return true;
    return entries(run).some(({ paymentId, status }) => paymentId === id && status === 'captured');
  };

  return {
    tap(run, clientSecret, { card, goodCard }) {
      const secret = ({ clientSecret: other }: { clientSecret: string }) => other === clientSecret;
      const first = taps.length === 0;
      const { processor } = run.world();
      const presented = atOnce(processor.presentCard(clientSecret, first ? card : goodCard));
      if (presented.isErr()) return 'unknown';
      const entry = entries(run).find(secret);
      if (entry === undefined) return 'unknown';
      const collected = said[entry.status];
      taps.push({ paymentId: entry.paymentId, said: collected });
      return collected;
    },
    show(run, { charged, paidBy, paymentId, step }) {
      const named = paidBy?.id ?? paymentId;
      if (charged === 'unknown' || named === undefined) return;
      told.add(paymentId ?? named);
      claims.push({ paymentId: named, charged, step, taps: taps.length });
      if (isCaptured(run, named) !== (charged === 'yes')) {
        faults.push(`the screen said ${step}, charged ${charged}, of ${named}`);
      }
    },
    refused: (paymentId) => void refused.add(paymentId),
    faults(run) {
      const wrong = claims
        .filter(({ paymentId, charged, taps: before }) => {
          const wasRead = taps.slice(before).some((tap) => tap.paymentId === paymentId);
          return charged === 'no' && !wasRead && isCaptured(run, paymentId);
        })
        .map(({ paymentId, step }) => `${paymentId} was charged after ${step}`);
      const forgotten = taps
        .filter(({ paymentId, said }) => {
          const isOver =
            told.has(paymentId) || refused.has(paymentId) || isCaptured(run, paymentId);
          return said === 'approved' && !isOver;
        })
        .map(({ paymentId }) => `${paymentId} was approved and forgotten`);
      return [...faults, ...wrong, ...forgotten];
    },
  };
}

/** The phones run over the fake, which answers at once. */
function atOnce<T>(value: MaybePromise<T>): T {
  if (value instanceof Promise) throw new Error('the books do not answer at once');
  return value;
}
