import type { Step } from './runs.ts';

/** Describes a request in the words of a shop. */
export function actOf({ request, tap }: Step): string {
  if (tap !== undefined) return `Card: ${tap.card.replaceAll('_', ' ')}`;
  if (request === undefined) return 'Request';
  const { method, path } = request;
  if (path.endsWith('/captured')) return 'Capture the payment';
  if (method === 'POST' && path.endsWith('/refunds')) return 'Refund the payment';
  if (method === 'POST' && path.endsWith('/contactlessPayments')) return 'Open a payment';
  if (path.endsWith('/refunds')) return 'List the refunds';
  if (path.endsWith('/shares')) return method === 'POST' ? 'Say whose it is' : 'Read whose it is';
  if (path.startsWith('/contactlessPayments/')) return 'Read the payment';
  if (path.endsWith('/contactlessPayments')) return 'List the payments';
  return method === 'GET' ? 'Read from the shop' : 'Ask the shop';
}

const calls: Readonly<Record<string, string>> = {
  openPayment: 'open',
  readPayment: 'read',
  capturePayment: 'capture',
  cancelPayment: 'cancel',
  listPayments: 'list',
  listRefunds: 'list refunds',
};
export const callOf = (name: string) => calls[name] ?? name;

export const downAt: Readonly<Record<string, string>> = {
  now: 'Server killed',
  beforeProcessor: 'Server killed before the processor was asked',
  afterProcessor: 'Server killed after the processor had answered',
  beforeAnswer: 'Server killed before its answer left',
};

interface Body {
  readonly type?: string;
  readonly title?: string;
  readonly attributes?: { readonly reason?: string };
  readonly detail?: string;
  readonly state?: string;
  readonly recovery?: { readonly outcome?: string; readonly retry?: string };
}

function parse(body: string): Body {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

/** Problems whose title is written for programmers. */
const refusals: Readonly<Record<string, string>> = {
  unauthorized: 'signed out',
  forbidden: 'not allowed',
  contactlessPaymentEntitlementMissing: 'not allowed to take cards',
  notFound: 'not there',
  conflict: 'not possible now',
  unprocessableEntity: 'not accepted',
  paymentProviderNotSetup: 'the shop cannot take cards yet',
};

function refusalOf({ type = '', title }: Body): string | undefined {
  return refusals[type.split('/').at(-1) ?? ''] ?? title;
}

/** A response in a few words. */
export function answerOf(status: number, body: string): string {
  const parsed = parse(body);
  return [status, refusalOf(parsed) ?? parsed.state].filter((part) => part !== undefined).join(' ');
}

const waits: Readonly<Record<string, string>> = {
  running: 'still running',
  notProcessed: 'no card was processed yet',
  reservedElsewhere: 'another payment is being captured',
};

/** A refusal that is part of the plan, because the phone sends the request again; else undefined. */
export function retryOf(body: string): string | undefined {
  const parsed = parse(body);
  const { attributes, recovery } = parsed;
  if (recovery === undefined || recovery.retry === 'doNotRetry') return undefined;
  return `${waits[attributes?.reason ?? ''] ?? refusalOf(parsed) ?? 'not possible now'}, asks again`;
}

const outcomes: Readonly<Record<string, string>> = {
  notApplied: 'Nothing was done.',
  unknown: 'It is not known whether it was done.',
};
const retries: Readonly<Record<string, string>> = {
  doNotRetry: 'Sending the same request again will not help.',
  retrySameRequest: 'Send the same request again, with the same key.',
  retrySameRequestAfterDelay: 'Wait, then send the same request again, with the same key.',
};

/** Explains `recovery`. */
export function recoveryOf(body: string): string | undefined {
  const { recovery } = parse(body);
  if (recovery === undefined) return undefined;
  return [outcomes[recovery.outcome ?? ''], retries[recovery.retry ?? '']].join(' ');
}
