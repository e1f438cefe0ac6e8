import type { EpochMs } from '@chairside/core';
import type { BookEntry } from '@chairside/testkit';
import type { Sender } from '../plan/plan.ts';

/** A request and its response: all that the checks know from the outside. */
export interface Exchange {
  readonly action: number;
  readonly operation:
    | ('create' | 'capture' | 'cancel' | 'read' | 'get' | 'receipt')
    | ('refund' | 'excess' | 'listRefunds' | 'getRefund')
    | ('recordTender' | 'returnTender' | 'voidTender')
    | ('prepare' | 'readSetup' | 'withdraw' | 'charge')
    | ('register' | 'listTerminals' | 'getTerminal' | 'unregister' | 'token' | 'release');
  readonly as: Sender;
  readonly subject: string;
  /** The barber who asks, if the request is authenticated as one. */
  readonly barberId?: string;
  /** The appointment of the request. */
  readonly appointment?: string;
  readonly key?: string;
  /** The content: two requests with the same text are the same request. */
  readonly asked: string;
  /** The payment or tender of the request, if the sender knows it. */
  readonly payment?: string;
  /** The same for a setup, a terminal and a device. */
  readonly setup?: string;
  readonly terminal?: string;
  readonly device?: string;
  /** Repeated after everything was healed. */
  readonly isLast?: boolean;
  readonly at: EpochMs;
  /** Moments, not times: they also order two events at the same time. */
  readonly from: number;
  /** Absent while it is running. */
  to?: number;
  /** Absent if the connection was lost. */
  answer?: Answer;
  /** The processor's entry of the payment at that moment. */
  entry?: BookEntry | undefined;
}

export interface Answer {
  readonly status: number;
  /** The body as it would be sent. */
  readonly text: string;
  readonly type?: string;
  readonly outcome?: 'notApplied' | 'unknown';
  readonly retry?: string;
  /** Why the response is not a valid problem. */
  readonly fault?: string;
}
