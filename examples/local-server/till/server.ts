import type { AppointmentBooks } from '../src/till/books.ts';
import type { Order } from '../src/till/till.ts';
import type { Line } from '../src/till/timeline.ts';

export type { AppointmentBooks, Line, Order };

export interface Books {
  readonly appointments: readonly AppointmentBooks[];
  /** The faults that wait for the next request or capture. */
  readonly armed: readonly string[];
  readonly messages: string;
  /** Whether a killed server comes back. */
  readonly canKill: boolean;
  /** Whether the phone asks for a tip before the card. */
  readonly takesTips: boolean;
  /** The barbers of the shop, where it shares payments. */
  readonly barbers?: readonly { readonly id: string; readonly name: string }[];
}

/** The server that this page came from, under the path that it came from. */
export const baseUrl = new URL('.', document.baseURI).href.replace(/\/$/, '');

const booksTimeoutMs = 5000;

/** Undefined while the server is down, or too slow. */
export async function readBooks(): Promise<Books | undefined> {
  try {
    const signal = AbortSignal.timeout(booksTimeoutMs);
    const response = await fetch(`${baseUrl}/till/books`, { signal });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/** False if it was not carried out. */
export async function send(order: Order): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/till/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(order),
    });
    return response.ok;
  } catch {
    return false;
  }
}

/** Follows the timeline; what was missed while the connection was gone comes first. */
export function follow(onLine: (line: Line) => void, onState: (isUp: boolean) => void): void {
  const source = new EventSource(`${baseUrl}/till/events`);
  source.onopen = () => onState(true);
  source.onerror = () => {
    onState(false);
    // A browser gives up for good where the connection was refused.
    if (source.readyState !== EventSource.CLOSED) return;
    source.close();
    setTimeout(() => follow(onLine, onState), 500);
  };
  source.onmessage = ({ data }) => onLine(JSON.parse(data));
}
