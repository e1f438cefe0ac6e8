import type { Evidence, Expect, State, TerminalTrail } from './evidence.ts';
import { during } from './readings.ts';
import type { Exchange } from './request-log.ts';

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

const operations: ReadonlySet<Exchange['operation']> = new Set([
  ...(['register', 'getTerminal', 'unregister', 'token', 'release'] as const),
]);

function checkAnswer({ terminals }: Evidence, exchange: Exchange, expect: Expect): void {
  const { operation, action, asked, terminal, device, from, to, answer } = exchange;
  if (answer === undefined || to === undefined) return;
  if (operation === 'listTerminals') checkList([...terminals.values()], exchange, expect);
  if (!operations.has(operation)) return;
  const { status, text, outcome } = answer;
  const said = () => `${asked} was answered ${status} ${text}`;
  const isWithin = (moment: number) => moment > from && moment < to;
  const all = [...terminals.values()];
  const registered = all.find((one) => one.action === action && isWithin(one.registered));
  const removed = all.find(({ gone }) => gone?.action === action && isWithin(gone.moment));
  const isDone = registered !== undefined || removed !== undefined;
  expect(outcome !== 'notApplied' || !isDone, 'truthful', said);

  // One that existed all the time is found; one that never existed during the request is not.
  const about = all.filter((one) =>
    device === undefined ? one.terminal.id === terminal : one.terminal.deviceIdentifier === device,
  );
  const wasFound = about.some((one) => wasThere(one, from, to));
  if (status === 404) {
    const isMissed = about.some((one) => wasAlwaysThere(one, from, to));
    expect(!isMissed, 'terminals', said);
  }
  if (status === 204) {
    expect(removed !== undefined && about.includes(removed), 'durable', said);
  }
  if (operation === 'register') {
    if (status === 201) expect(isShown(exchange, text, registered), 'terminals', said);
    if (status === 409) expect(wasFound, 'terminals', said);
    return;
  }
  if (status < 300) expect(wasFound, 'terminals', said);
  if (operation !== 'release') expect(status !== 403, 'access', said);
  if (operation === 'getTerminal' && status === 200) {
    expect(isShown(exchange, text, about[0]), 'terminals', said);
  }
}

function checkList(
  all: readonly TerminalTrail[],
  { subject, from, to = from, answer }: Exchange,
  expect: Expect,
): void {
  if (answer?.status !== 200) return;
  const list: { items: readonly { id: string }[]; count: number } = JSON.parse(answer.text);
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
function isShown(
  { subject, device }: Exchange,
  text: string,
  trail: TerminalTrail | undefined,
): boolean {
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
