import type { Random } from './random.ts';

/** Text that is known to break parsers. */
export const oddTexts = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'undefined',
  '\u0000',
  'a\u0000b',
  '\ud83d',
  '\ude00\ud83d',
  '\ufeff',
  '\u202e',
  'é',
  '😀',
  '..',
  '../../../spec',
  '%',
  '%00',
  '%zz',
  '__proto__',
  'constructor',
  'toString',
  "'; DROP TABLE chairside_payments; --",
  '<script>',
  '{{7*7}}',
  '\r\nX-Evil: 1',
  'x'.repeat(255),
  'x'.repeat(256),
  '😀'.repeat(255),
  '😀'.repeat(256),
  'x'.repeat(5000),
] as const;

const oddNumbers = [0, -0, 1, -1, 1.5, 2 ** 53, -(2 ** 63), 1e308] as const;

export function oddValue(random: Random, depth = 0): unknown {
  switch (random.below(depth > 3 ? 5 : 7)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(oddNumbers);
    case 3:
    case 4:
      return random.pick(oddTexts);
    case 5:
      return Array.from({ length: random.below(4) }, () => oddValue(random, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [
          random.pick(oddTexts),
          oddValue(random, depth + 1),
        ]),
      );
  }
}

/** The value with one change. */
export function oddlyChanged(random: Random, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return oddValue(random);
  const members = Object.entries(value);
  const [name, member] = random.pickOr(members, ['', undefined]);
  switch (random.below(5)) {
    case 0:
      return Object.fromEntries(members.filter(([other]) => other !== name));
    case 1:
      return Object.fromEntries([...members, [random.pick(oddTexts), oddValue(random)]]);
    case 2:
      return nested(random.pick([2, 31, 32, 33, 500]), value);
    default:
      return Object.fromEntries([
        ...members.filter(([other]) => other !== name),
        [name, oddlyChanged(random, member)],
      ]);
  }
}

function nested(levels: number, value: unknown): unknown {
  let outer = value;
  for (let level = 0; level < levels; level += 1) outer = { a: outer };
  return outer;
}

const intruders = ['\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', ':', ';', ',', '%', '"', '\t'].concat(
  [
    '\u0080',
    '\u00ff',
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    'GET /terminals HTTP/1.1\r\nHost: x\r\n\r\n',
    '0\r\n\r\n',
    'ffffffffffffffff\r\n',
  ],
);

/** The bytes with a few changed, removed, added or repeated. */
export function oddBytes(random: Random, bytes: Buffer): Buffer {
  let changed = bytes;
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const at = random.below(changed.length + 1);
    const to = Math.min(changed.length, at + 1 + random.below(8));
    const [before, middle, after] = [
      changed.subarray(0, at),
      changed.subarray(at, to),
      changed.subarray(to),
    ];
    const intruder = Buffer.from(random.pickOr(intruders, ''), 'latin1');
    switch (random.below(6)) {
      case 0:
        changed = Buffer.concat([before, intruder, middle, after]);
        break;
      case 1:
        changed = Buffer.concat([before, intruder, after]);
        break;
      case 2:
        changed = Buffer.concat([before, after]);
        break;
      case 3:
        changed = Buffer.concat([before, middle, middle, after]);
        break;
      case 4:
        changed = Buffer.concat([before, Buffer.from([random.below(256)]), after]);
        break;
      default:
        changed = before;
    }
  }
  return changed;
}
