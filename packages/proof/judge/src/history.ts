import * as v from 'valibot';

// One line of a history. `packages/proof/judge/README.md` describes the format.

const cents = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const base = { process: v.number(), appointment: v.string() };
const invoked = { ...base, type: v.literal('invoke') };
/** `fail`: the request had no effect. `info`: it may have one, now or later. */
const failed = { ...base, type: v.picklist(['fail', 'info']) };
const ok = { ...base, type: v.literal('ok') };

/** A request under an idempotency key. `answer` is a digest of the response's status and body. */
const keyed = { key: v.string() };
const answered = { answer: v.string() };

const due = { f: v.literal('due'), amount: cents };
const create = { f: v.literal('create'), ...keyed };
const capture = { f: v.literal('capture'), ...keyed, payment: v.string() };
const refund = { f: v.literal('refund'), ...keyed, payment: v.string(), amount: cents };
const read = { f: v.literal('read'), payment: v.string() };

/** Facts that a refusal states: the appointment is paid, or the payment is canceled. */
const reason = { reason: v.optional(v.picklist(['paid', 'canceled'])) };

const eventSchema = v.union([
  v.object({ ...invoked, ...due }),
  v.object({ ...ok, ...due }),
  v.object({ ...failed, ...due }),
  v.object({ ...invoked, ...create }),
  v.object({ ...ok, ...create, ...answered, payment: v.string(), amount: cents }),
  v.object({ ...failed, ...create, ...reason }),
  v.object({ ...invoked, ...capture }),
  v.object({ ...ok, ...capture, ...answered }),
  v.object({ ...failed, ...capture, ...reason }),
  v.object({ ...invoked, ...refund }),
  v.object({ ...ok, ...refund, ...answered }),
  v.object({ ...failed, ...refund }),
  v.object({ ...invoked, ...read }),
  v.object({ ...ok, ...read, state: v.picklist(['open', 'captured', 'canceled']) }),
  v.object({ ...failed, ...read }),
]);

export type Event = v.InferOutput<typeof eventSchema>;

/** Reads a history, one JSON object in each line. Throws for a line of another form. */
export function parseHistory(text: string): readonly Event[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => v.parse(eventSchema, JSON.parse(line)));
}
