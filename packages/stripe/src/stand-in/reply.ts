/** What the stand-in answers, before it is put on a wire. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export function found(body: unknown): Reply {
  return { status: 200, headers: {}, body };
}

/** The members of Stripe's error object that callers look at. */
interface ErrorBody {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  readonly param?: string;
  /** The intent, its client secret included, just as Stripe adds it. */
  readonly payment_intent?: unknown;
}

export function failed(status: number, error: ErrorBody): Reply {
  return { status, headers: {}, body: { error } };
}

export function invalid(message: string, more: Partial<ErrorBody> = {}): Reply {
  return failed(400, { type: 'invalid_request_error', message, ...more });
}

export function missing(what: string, id: string, param: string): Reply {
  const message = `No such ${what}: '${id}'`;
  return failed(404, { type: 'invalid_request_error', code: 'resource_missing', message, param });
}

/** Ends the handling of a request with this answer. */
export class Refusal extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super('refused');
    this.reply = reply;
  }
}
