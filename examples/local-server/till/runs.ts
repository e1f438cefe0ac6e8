import type { Line } from './server.ts';

/** A request of a phone, its processor calls and its response. */
export interface Step {
  readonly id: string;
  /** 1, or 2 for the second phone. */
  readonly phone: number;
  readonly at: number;
  readonly request: Extract<Line, { kind: 'request' }> | undefined;
  readonly tap: Extract<Line, { kind: 'tap' }> | undefined;
  readonly calls: readonly Extract<Line, { kind: 'call' }>[];
  readonly response: Extract<Line, { kind: 'response' }> | undefined;
}

type Message = Extract<Line, { kind: 'message' }>;
/** Messages of the processor that follow one another. */
type Messages = Message & { readonly count: number };

/** A row of the timeline: a step, or an event between two steps. */
export type Row = Step | Extract<Line, { kind: 'down' | 'up' | 'fault' }> | Messages;

export interface Run {
  readonly id: string;
  readonly startedAt: number;
  readonly rows: readonly Row[];
}

/** The run that a request belongs to, as its id says: `till-<run>-<phone>.<number>`. */
const idPattern = /^(till-[a-z0-9]+)-(\d)\./;

const maxRuns = 40;

/** Groups the lines into runs, the newest first; each reads downwards. */
export function runsOf(lines: readonly Line[]): readonly Run[] {
  const runs = new Map<string, Map<string, Row>>();
  const before: Row[] = [];
  let current: Map<string, Row> | undefined;
  for (const line of lines) {
    if (line.kind === 'appointment') continue;
    if ('id' in line) {
      const [, id = '', phone = '1'] = idPattern.exec(line.id) ?? [];
      let rows = runs.get(id);
      if (rows === undefined) {
        // Faults are chosen before the payment that meets them.
        rows = new Map(before.splice(0).map((row) => [`${row.at}`, row]));
        runs.set(id, rows);
      }
      current = rows;
      rows.set(line.id, withLine(rows.get(line.id), line, Number(phone)));
    } else if (line.kind === 'message') addMessage(current, line);
    else if (line.kind === 'fault' && !isUnderWay(current)) before.push(line);
    else if (line.kind !== 'up' || isDown(current)) current?.set(`${line.kind} ${line.seq}`, line);
  }
  return [...runs]
    .map(([id, rows]) => ({ id, startedAt: firstStep(rows), rows: [...rows.values()] }))
    .reverse()
    .slice(0, maxRuns);
}

function addMessage(rows: Map<string, Row> | undefined, line: Message): void {
  const last = [...(rows?.values() ?? [])].at(-1);
  const before = last && 'count' in last && last.status === line.status ? last : undefined;
  const { seq } = before ?? line;
  rows?.set(`message ${seq}`, { ...line, ...before, count: (before?.count ?? 0) + 1 });
}

/** Whether a payment is being taken: then a chosen fault is one of this run. */
function isUnderWay(current: ReadonlyMap<string, Row> | undefined): boolean {
  const last = [...(current?.values() ?? [])].findLast((row) => !('kind' in row));
  if (last === undefined || 'kind' in last) return false;
  if (last.tap !== undefined) return last.tap.status === 'authorized';
  const { request, response } = last;
  return !(request?.path.match(/\/(captured|refunds)$/) && (response?.status ?? 500) < 300);
}

function isDown(rows: ReadonlyMap<string, Row> | undefined): boolean {
  const last = [...(rows?.values() ?? [])].findLast((row) => isState(row));
  return last !== undefined && 'kind' in last && last.kind === 'down';
}

const isState = (row: Row) => 'kind' in row && (row.kind === 'down' || row.kind === 'up');

function firstStep(rows: ReadonlyMap<string, Row>): number {
  return [...rows.values()].find((row) => !('kind' in row))?.at ?? 0;
}

type OfRequest = Extract<Line, { id: string; kind: 'request' | 'response' | 'call' | 'tap' }>;

function withLine(row: Row | undefined, line: OfRequest, phone: number): Step {
  const empty: Step = {
    id: line.id,
    phone,
    at: line.at,
    request: undefined,
    tap: undefined,
    calls: [],
    response: undefined,
  };
  const step = row === undefined || 'kind' in row ? empty : row;
  if (line.kind === 'call') return { ...step, calls: [...step.calls, line] };
  return { ...step, [line.kind]: line };
}
