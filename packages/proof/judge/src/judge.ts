import type { Event } from './history.ts';
import { begin, digest, initial, type State, step } from './model.ts';
import { type Operation, operationsOf } from './operations.ts';

/** A contradiction in a history, with the appointment that it concerns. */
export interface Finding {
  readonly appointment: string;
  readonly what: 'notLinearizable' | 'answerChanged' | 'deniedLater' | 'undecided';
  readonly detail: string;
}

/** A search that visits more states than this is undecided. */
const maxVisits = 1_000_000;

/**
 * Judges a history by itself: some order of the requests, each at one moment between its invocation
 * and its response, must explain every response. Appointments share no state, so each is judged
 * alone.
 */
export function judge(history: readonly Event[]): readonly Finding[] {
  const operations = operationsOf(history);
  const byAppointment = Map.groupBy(operations, ({ end }) => end.appointment);
  return [
    ...judgeKeys(operations),
    ...[...byAppointment].flatMap(([appointment, own]) => judgeOrder(appointment, own)),
  ];
}

/** A key has one answer, and is not denied once it was given. */
function judgeKeys(operations: readonly Operation[]): Finding[] {
  const keyed = operations.filter(({ end }) => 'key' in end);
  return [...Map.groupBy(keyed, keyOf)].flatMap(([key, own]) => {
    const answers = own.filter(({ end }) => end.type === 'ok');
    const [first] = answers;
    if (first === undefined) return [];
    const { appointment } = first.end;
    const texts = new Set(answers.map(({ end }) => ('answer' in end ? end.answer : '')));
    const answeredAt = Math.min(...answers.map(({ to }) => to));
    const denied = own.some(({ end, from }) => end.type === 'fail' && from > answeredAt);
    const found: Finding[] = [];
    if (texts.size > 1) found.push({ appointment, what: 'answerChanged', detail: key });
    if (denied) found.push({ appointment, what: 'deniedLater', detail: key });
    return found;
  });
}

function keyOf({ end }: Operation): string {
  return 'key' in end ? `${end.f} ${end.key}` : '';
}

/** A point of the search: the operations that took place, and the state that they left. */
interface Visit {
  readonly done: bigint;
  readonly state: State;
}

/**
 * Looks for an order. An operation may take place next if no other open operation had ended before it
 * was invoked. Equal points are visited once. Two choices need no alternative, because they exclude no
 * later step: an operation that is explained and changes nothing, and the room that a lost create kept.
 */
function judgeOrder(appointment: string, operations: readonly Operation[]): Finding[] {
  const sorted = [...operations].sort((a, b) => a.from - b.from);
  const all = sorted.reduce(
    (bits, { to }, at) => (Number.isFinite(to) ? bits | bit(at) : bits),
    0n,
  );
  const stack: Visit[] = [{ done: 0n, state: initial }];
  const seen = new Set<string>();
  let furthest = 0n;
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { done } = visit;
    if ((done & all) === all) return [];
    if (sizeOf(done) > sizeOf(furthest)) furthest = done;
    const open = next(sorted, done);
    const state = open.reduce(keepRoom, visit.state);
    const point = `${done} ${digest(state)}`;
    if (seen.has(point)) continue;
    seen.add(point);
    if (seen.size > maxVisits) {
      return [{ appointment, what: 'undecided', detail: `${operations.length} requests` }];
    }
    const idle = open.find(({ to, end }) => to < Infinity && step(state, { end }).includes(state));
    for (const { at, to, end } of idle === undefined ? open : [idle]) {
      for (const after of step(state, { end })) {
        // A lost request that has taken place changes nothing again, so it needs no mark. A lost `due` does.
        const isMarked = to < Infinity || end.f === 'due';
        if (isMarked) stack.push({ done: done | bit(at), state: after });
        else if (after !== state) stack.push({ done, state: after });
      }
    }
  }
  const stuck = sorted.filter((_, at) => (furthest & bit(at)) === 0n);
  const { end } = stuck.find(({ to }) => Number.isFinite(to)) ?? stuck[0] ?? { end: undefined };
  return [{ appointment, what: 'notLinearizable', detail: JSON.stringify(end) }];
}

/** A lost create keeps the most room that there was at any moment. */
function keepRoom(state: State, { end }: Operation): State {
  return end.f === 'create' && end.type === 'info' ? begin(state, end.key) : state;
}

interface Open extends Operation {
  readonly at: number;
}

/** The operations that may take place next. Those without a known effect may also never do so. */
function next(sorted: readonly Operation[], done: bigint): readonly Open[] {
  let firstEnd = Number.POSITIVE_INFINITY;
  const open: Open[] = [];
  for (const [at, operation] of sorted.entries()) {
    if ((done & bit(at)) !== 0n) continue;
    if (operation.from > firstEnd) break;
    open.push({ ...operation, at });
    firstEnd = Math.min(firstEnd, operation.to);
  }
  return open.filter(({ from }) => from < firstEnd);
}

const bit = (at: number) => 1n << BigInt(at);

function sizeOf(bits: bigint): number {
  return bits.toString(2).replaceAll('0', '').length;
}
