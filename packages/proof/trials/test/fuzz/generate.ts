import { optionalGroups, type Route, routes } from '@chairside/h3';
import type { SentRequest } from '@chairside/spec/contract';
import { type Person, people } from '@chairside/spec/people';
import { oddBytes, oddlyChanged, oddTexts, oddValue } from './odd.ts';
import type { Random } from './random.ts';

/** Ids of existing records, by the names of their path parameters. */
export interface Known {
  readonly ids: Readonly<Record<string, string[]>>;
  /** The processor's references of payments with a card. */
  readonly references: string[];
}

/** One request, most likely malformed. */
export interface Sketch {
  readonly bytes: Buffer;
  readonly isHead: boolean;
  /** The operation of the request, if it is clear. */
  readonly operation?: string;
  /** The content, if a schema can check it. */
  readonly said?: SentRequest;
}

/** Every route that the service can serve. */
export const served: readonly Route[] = [
  ...routes,
  ...optionalGroups.receipts.routes,
  ...optionalGroups.refunds.routes,
  ...optionalGroups.charges.routes,
];

export function generate(random: Random, known: Known): Sketch {
  const sound = request(random, known);
  return random.chance(0.3)
    ? { bytes: oddBytes(random, sound.bytes), isHead: sound.isHead }
    : sound;
}

/** A valid HTTP request of any content. */
function request(random: Random, known: Known): Sketch {
  const row = random.pickOr(served, fallback);
  const path = pathOf(random, row, known);
  const query = queryOf(random, row);
  const method = random.chance(0.04) ? random.pick(otherMethods) : row.method;
  const isHead = row.method === 'GET' && random.chance(0.05);
  const keys = keysOf(random, row);
  const body = bodyOf(random, row, known);
  const type = random.chance(0.95) ? 'application/json' : random.pick(contentTypes);

  const head = [
    `${isHead ? 'HEAD' : method} ${path.text}${query.text} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    ...authorization(random, row),
    ...keys.map((key) => `Idempotency-Key: ${key}`),
    ...(body.length > 0 || random.chance(0.02) ? [`Content-Type: ${type}`] : []),
    ...(random.chance(0.03) ? [`X-Request-Id: ${random.pick(headerTexts)}`] : []),
    ...(random.chance(0.02) ? [random.pick(otherHeaders)] : []),
  ];
  const bytes = random.chance(0.2) ? inChunks(random, head, body) : inOne(head, body);
  const isClear = method === row.method && path.isSound && !head.includes(secondHost);
  if (!isClear) return { bytes, isHead };

  const content = row.body === undefined && body.length > 0 ? 'a body' : parsed(body, type);
  const canBeJudged = query.isSound && keys.length < 2 && content !== unreadable && !isHead;
  return {
    bytes,
    isHead,
    operation: row.operation,
    ...(canBeJudged && {
      said: { operation: row.operation, query: query.given, key: keys[0], body: content },
    }),
  };
}

// The table has rows, but the compiler requires a default.
const [fallback = fail()] = routes;
function fail(): never {
  throw new Error('there are no routes');
}

const otherMethods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'QUERY',
] as const;
const contentTypes = [
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/problem+json',
  '',
] as const;
const headerTexts = ['', ' ', 'a', 'a, b', '"', '\u00e9', '\u00ff', 'x'.repeat(255), '\t'].concat(
  'x'.repeat(256),
  'x'.repeat(9000),
) as [string, ...string[]]; // cast: it begins with one
/** An ambiguous message is rejected before it becomes a request. */
const secondHost = 'Host: y';
const otherHeaders = [
  'Content-Encoding: gzip',
  'Content-Encoding: identity',
  'Expect: 100-continue',
  'Expect: wonders',
  'Upgrade: websocket',
  'TE: trailers',
  'Accept: text/html',
  'X-HTTP-Method-Override: DELETE',
  'X-Forwarded-For: 1.2.3.4',
  secondHost,
  'Authorization: Bearer ben',
  `X-Long: ${'x'.repeat(17_000)}`,
] as const;

function pathOf(random: Random, { path }: Route, { ids }: Known) {
  let isSound = true;
  const text = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const owner = /^\/(\w+)\/\{id\}/.exec(path)?.[1];
    const pool = ids[name === 'id' ? (owner ?? '') : name] ?? [];
    const id = random.chance(0.75) ? random.pickOr(pool, 'none') : random.pick(oddTexts);
    if (random.chance(0.03)) {
      isSound = false;
      return random.pick([
        '%ff',
        '%zz',
        '%',
        '%c3%28',
        '',
        '.',
        '..',
        'a/b',
        '%2e%2e',
        '\\',
        '\u00e9',
      ]);
    }
    // These mean another path, or an empty one.
    if (['', '.', '..'].includes(id) || !id.isWellFormed()) isSound = false;
    return id.isWellFormed() ? encodeURIComponent(id) : '%ed%a0%80';
  });
  if (random.chance(0.02)) {
    const other = random.pick(['/', '//', '/x', '?', '#', ';', '/../']);
    return { text: text + other, isSound: false };
  }
  return { text, isSound };
}

function queryOf(random: Random, { query }: Route) {
  const names = random.chance(0.05) ? ['x', 'constructor'] : Object.keys(query ?? {});
  const values = ['+49 30 901820', 'ada@marlow.example', '+4930901820', '123', 'a@b', '(030) 90-18']
    .concat(oddTexts)
    .filter((text) => text.length < 1000);
  const pairs = names
    .filter(() => random.chance(0.6))
    .map((name) => [name, random.pickOr(values, '')] as const);
  const isWellFormed = pairs.every(([, value]) => value.isWellFormed());
  if (random.chance(0.05) || !isWellFormed) {
    const text = random.pick([
      '?phoneNumber=%ff',
      '?phoneNumber=1&phoneNumber=2',
      '?&&=',
      '?%zz=1',
    ]);
    return { text, isSound: false, given: {} };
  }
  const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return { text: text === '' ? '' : `?${text}`, isSound: true, given: Object.fromEntries(pairs) };
}

function authorization(random: Random, { operation }: Route): string[] {
  if (random.chance(0.05)) return [];
  if (random.chance(0.05)) {
    const odd = [
      'Bearer',
      'Bearer x',
      'Basic YTpi',
      'Bearer ada ada',
      'Bearer \u00e9',
      '',
    ] as const;
    return [`Authorization: ${random.pick(odd)}`];
  }
  const everyone = Object.keys(people);
  const who = random.chance(0.85) ? (insiders[operation] ?? 'ada') : random.pickOr(everyone, 'ada');
  return [`Authorization: Bearer ${who}`];
}

/** The senders. */
const insiders: Readonly<Record<string, Person>> = {
  preparePaymentMethod: 'customer',
  removeFinancialAccount: 'owner',
  getPayoutPreferences: 'owner',
  refundPayment: 'owner',
  listRefunds: 'owner',
  getRefund: 'owner',
};

function keysOf(random: Random, { idempotencyKey }: Route): string[] {
  if (idempotencyKey === undefined ? !random.chance(0.05) : random.chance(0.05)) return [];
  if (random.chance(0.1)) return [random.pick(headerTexts)];
  const key = `key-${random.below(random.chance(0.2) ? 5 : 1e9)}`;
  return random.chance(0.02) ? [key, key] : [key];
}

function bodyOf(random: Random, { operation, body }: Route, { references }: Known): Buffer {
  if (body === undefined) {
    return Buffer.from(random.chance(0.03) ? random.pick(['{}', ' ', 'x', '[]']) : '');
  }
  const sound = soundBody(random, operation, references);
  if (sound === undefined && random.chance(0.7)) return Buffer.alloc(0);
  const value = random.chance(0.3) ? sound : oddlyChanged(random, sound ?? {});
  const text = JSON.stringify(value) ?? '';
  switch (random.below(30)) {
    case 0:
      return oddBytes(random, Buffer.from(text));
    case 1:
      return Buffer.from(`\ufeff${text}`);
    case 2:
      return Buffer.from(text, 'latin1');
    case 3:
      return Buffer.from(text.padEnd(random.pick([16_384, 16_385, 40_000])));
    case 4:
      return Buffer.from(`{"amount":"1.00","amount":${JSON.stringify(oddValue(random))}}`);
    case 5:
      return Buffer.from(
        random.pick(['', ' ', 'null', '[]', '1e999', '{"a":1e999}', '{,}', '{"a"}']),
      );
    default:
      return Buffer.from(text);
  }
}

function soundBody(random: Random, operation: string, references: readonly string[]): unknown {
  const amounts = ['45.00', '0.00', '-0.00', '-1.00', '0.01', '1', '01.00', '1e2', '٤.٠٠'].concat(
    `${'9'.repeat(16)}.00`,
  );
  switch (operation) {
    case 'createContactlessPayment':
      return random.chance(0.5) ? undefined : { amount: random.pickOr(amounts, '') };
    case 'captureContactlessPayment':
      return {
        externalPaymentReference: {
          id: random.pickOr(references, 'fpi_none'),
          paymentProcessor: 'processor_a',
        },
      };
    case 'refundPayment':
      if (random.chance(0.2)) return undefined;
      return {
        amount: random.chance(0.6) ? '1.00' : random.pickOr(amounts, ''),
        ...(random.chance(0.3) && { reason: random.pickOr(oddTexts, '') }),
      };
    case 'registerTerminal':
      return {
        platform: random.pick(['ios', 'android', 'windows']),
        deviceIdentifier: `device-${random.below(1e6)}`,
        ...(random.chance(0.5) && { deviceModel: random.pick(['iPhone14,5', 'iPad1,1', '']) }),
        ...(random.chance(0.5) && { osVersion: random.pick(['18.1', '1', 'Tahoe', '٢']) }),
      };
    default:
      return { savePaymentMethod: random.chance(0.5) };
  }
}

const unreadable = Symbol('unreadable');

/** The body as JSON; `undefined` without one. */
function parsed(body: Uint8Array, type: string): unknown {
  if (body.length === 0) return undefined;
  if (type !== 'application/json' || body.length > 16 * 1024) return unreadable;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? value
      : unreadable;
  } catch {
    return unreadable;
  }
}

function inOne(head: readonly string[], body: Buffer): Buffer {
  const length = body.length > 0 ? [`Content-Length: ${body.length}`] : [];
  return Buffer.concat([Buffer.from([...head, ...length, '', ''].join('\r\n'), 'latin1'), body]);
}

function inChunks(random: Random, head: readonly string[], body: Buffer): Buffer {
  const lines = [...head, 'Transfer-Encoding: chunked', '', ''].join('\r\n');
  const crlf = Buffer.from('\r\n');
  const parts = [Buffer.from(lines, 'latin1')];
  for (let at = 0; at < body.length; ) {
    const chunk = body.subarray(at, at + 1 + random.below(2000));
    at += chunk.length;
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), Buffer.from(chunk), crlf);
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
