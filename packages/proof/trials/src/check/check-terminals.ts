import { during } from './during.ts';
import type { Evidence } from './evidence.ts';
import type { Exchange } from './request-log.ts';
import type { Expect } from './rules.ts';
import type { State } from './state.ts';
import type { TerminalTrail } from './trails.ts';

/** Terminals: every response was true at some moment during its request. */
export function checkTerminals(evidence: Evidence, state: State, expect: Expect): void {
  const stored = new Map(state.terminals.map((terminal) => [terminal.id, terminal]));
  for (const [id, { terminal, gone }] of evidence.terminals) {
    const isThere = stored.get(id)?.deviceIdentifier === terminal.deviceIdentifier;
    expect(isThere === (gone === undefined), 'durable', () => {
      return `${id} is ${isThere ? 'there' : 'gone'}, and was ${gone ? '' : 'not '}removed`;
    });
  }
  for (const exchange of evidence.exchanges) {
    if (exchange.as === 'self') checkAnswer(evidence, exchange, expect);
  }
  checkTokens(evidence, expect);
  checkTold(evidence, expect);
}

/** A finished request, with its response and its terminal. */
interface Seen {
  readonly exchange: Exchange;
  readonly from: number;
  readonly to: number;
  readonly status: number;
  readonly text: string;
  readonly all: readonly TerminalTrail[];
  readonly trail: TerminalTrail | undefined;
  /** The terminal that it registered. */
  readonly registered: TerminalTrail | undefined;
  readonly removed: TerminalTrail | undefined;
  readonly said: () => string;
}

type Check = (seen: Seen, expect: Expect) => void;

function checkAnswer({ terminals }: Evidence, exchange: Exchange, expect: Expect): void {
  const { operation, action, asked, terminal = '', from, to, answer } = exchange;
  const check = checks[operation];
  if (check === undefined || answer === undefined || to === undefined) return;
  const { status, text, outcome } = answer;
  const all = [...terminals.values()];
  const isWithin = (moment: number) => moment > from && moment < to;
  const registered = all.find((one) => one.action === action && isWithin(one.registered));
  const removed = all.find(({ gone }) => gone?.action === action && isWithin(gone.moment));
  const said = () => `${asked} was answered ${status} ${text}`;
  const isDone = registered !== undefined || removed !== undefined;
  expect(outcome !== 'notApplied' || !isDone, 'truthful', said);
  const trail = terminals.get(terminal);
  check({ exchange, from, to, status, text, all, trail, registered, removed, said }, expect);
}

const checks: Readonly<Partial<Record<Exchange['operation'], Check>>> = {
  register(seen, expect) {
    const { status, registered, all, from, to, said } = seen;
    if (status === 201) expect(isShown(seen, registered), 'terminals', said);
    const ofDevice = all.filter((trail) => isOfDevice(trail, seen));
    const isTaken = ofDevice.some((one) => wasThere(one, from, to));
    if (status === 409) expect(isTaken, 'terminals', said);
  },
  release(seen, expect) {
    const { status, removed, all, from, to, said } = seen;
    const isIt = removed !== undefined && isOfDevice(removed, seen);
    if (status === 204) expect(isIt, 'durable', said);
    const ofDevice = all.filter((trail) => isOfDevice(trail, seen));
    const isMissed = ofDevice.some((one) => wasAlwaysThere(one, from, to));
    if (status === 404) expect(!isMissed, 'terminals', said);
  },
  unregister(seen, expect) {
    const { status, trail, removed, said } = seen;
    if (status === 204) expect(removed !== undefined && removed === trail, 'durable', said);
    checkFound(seen, expect);
  },
  getTerminal(seen, expect) {
    const { status, trail, said } = seen;
    if (status === 200) expect(isShown(seen, trail), 'terminals', said);
    checkFound(seen, expect);
  },
  token: checkFound,
  listTerminals: checkList,
};

function isOfDevice({ terminal }: TerminalTrail, { exchange }: Seen): boolean {
  return terminal.deviceIdentifier === exchange.device;
}

/** A terminal that existed all the time is found; one that never existed during it is not. */
function checkFound({ from, to, status, trail, said }: Seen, expect: Expect): void {
  if (trail === undefined) return;
  expect(status !== 403, 'access', said);
  if (status < 300) expect(wasThere(trail, from, to), 'terminals', said);
  if (status === 404) expect(!wasAlwaysThere(trail, from, to), 'terminals', said);
}

function checkList({ exchange, status, text, all, from, to }: Seen, expect: Expect): void {
  if (status !== 200) return;
  const { subject } = exchange;
  const list: { items: readonly { id: string }[]; count: number } = JSON.parse(text);
  const listed = new Set(list.items.map(({ id }) => id));
  expect(list.count === listed.size, 'terminals', () => `${list.count} are not ${listed.size}`);
  for (const trail of all) {
    const { id, barberId } = trail.terminal;
    const isOwn = subject === `user-${barberId}`;
    const isListed = listed.delete(id);
    expect(!isListed || isOwn, 'access', () => `${subject} was shown ${id}`);
    expect(!isListed || wasThere(trail, from, to), 'terminals', () => `${id} is listed, and gone`);
    const isMissed = isOwn && !isListed && wasAlwaysThere(trail, from, to);
    expect(!isMissed, 'terminals', () => `${id} is there, and not listed`);
  }
  expect(listed.size === 0, 'terminals', () => `listed and never registered: ${[...listed]}`);
}

/** Whether this is the view of the caller's own terminal. */
function isShown({ text, exchange }: Seen, trail: TerminalTrail | undefined): boolean {
  const { subject, device } = exchange;
  const shown: { id: string; deviceIdentifier: string } = JSON.parse(text);
  const { id, barberId, deviceIdentifier } = trail?.terminal ?? {};
  const isAsked = device === undefined || device === deviceIdentifier;
  const isSame = shown.id === id && shown.deviceIdentifier === deviceIdentifier;
  return isSame && isAsked && subject === `user-${barberId}`;
}

function wasThere({ registered, gone }: TerminalTrail, from: number, to: number): boolean {
  return registered < to && (gone === undefined || gone.moment > from);
}

function wasAlwaysThere({ registered, gone }: TerminalTrail, from: number, to: number): boolean {
  return registered < from && (gone === undefined || gone.moment > to);
}

/** Each call makes a new token, for the shop's account at that time (D14, D24). */
function checkTokens({ exchanges, tokens, businesses }: Evidence, expect: Expect): void {
  const answered = new Set<string>();
  for (const { operation, answer, from, to = from } of exchanges) {
    if (operation !== 'token' || answer === undefined || answer.status >= 300) continue;
    const { clientSecret }: { clientSecret: string } = JSON.parse(answer.text);
    const account = tokens.get(clientSecret);
    const own = during(businesses.get('shop') ?? [], from, to).map((one) => one.account);
    expect(account !== undefined && own.includes(account), 'access', () => {
      return `a token of ${account} was answered, and the shop has ${own}`;
    });
    expect(!answered.has(clientSecret), 'terminals', () => 'one token was answered twice');
    answered.add(clientSecret);
  }
}

/** The events of each terminal: its registration and its removal. */
function checkTold({ appended, terminals }: Evidence, expect: Expect): void {
  const told = Map.groupBy(appended, ({ subject }) => subject);
  for (const [id, { gone }] of terminals) {
    const types = (told.get(id) ?? []).map(({ type }) => type);
    const [first, last, ...more] = types;
    const isEnd = last === 'terminal.removed' || last === 'terminal.released';
    const isRight = first === 'terminal.registered' && more.length === 0;
    expect(isRight && (gone ? isEnd : last === undefined), 'events', () => `${id} was ${types}`);
  }
}
