import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyInstant, now } from '../../test/support.ts';
import { createIds, type IdPrefix, typeId, webRandom } from './text.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const prefixes: readonly IdPrefix[] = ['cpm', 'trm', 'prb', 'pms', 'cmt'];
const anyPrefix = fc.constantFrom(...prefixes);
const anyRandom = fc.uint8Array({ minLength: 10, maxLength: 10 });

/** Reads an id's UUID back by another method than the one under test. */
function uuidOf(id: string): string {
  const base32 = id.slice(id.indexOf('_') + 1);
  const bits = [...base32].reduce((all, c) => all * 32n + BigInt(alphabet.indexOf(c)), 0n);
  return bits
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

describe('a generated id', () => {
  it('is a prefix and a UUIDv7 of its time in 26 characters (D1)', () => {
    fc.assert(
      fc.property(anyPrefix, anyInstant, anyRandom, (prefix, at, random) => {
        const id = typeId(prefix, at, random);
        expect(id).toMatch(new RegExp(`^${prefix}_[0-7][${alphabet}]{25}$`));
        const uuid = uuidOf(id);
        expect(uuid).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
        expect(Number.parseInt(uuid.slice(0, 13).replace('-', ''), 16)).toBe(at);
      }),
    );
  });

  it('sorts by its time of creation', () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, anyRandom, anyRandom, (a, b, some, other) => {
        fc.pre(a !== b);
        expect(typeId('cpm', a, some) < typeId('cpm', b, other)).toBe(a < b);
      }),
    );
  });

  it('keeps 74 of the random bits, and reads ten bytes only', () => {
    const ids = (random: readonly number[]) => typeId('cpm', now, Uint8Array.from(random));
    const zeros = Array<number>(10).fill(0);
    const flipped = Array.from({ length: 80 }, (_, bit) =>
      ids(zeros.map((byte, i) => (i === bit >> 3 ? byte | (1 << (bit & 7)) : byte))),
    );
    expect(new Set([ids(zeros), ...flipped]).size).toBe(1 + 74);
    expect(ids([...zeros, 255])).toBe(ids(zeros));
  });

  it('agrees with the TypeID specification (D1)', () => {
    // valid.json of the specification: prefix_01h455vb4pex5vsknk084sn02q
    expect(uuidOf('x_01h455vb4pex5vsknk084sn02q')).toBe('01890a5d-ac96-774b-bcce-b302099a8057');
    const random = Uint8Array.from([0x07, 0x4b, 0x3c, 0xce, 0xb3, 0x02, 0x09, 0x9a, 0x80, 0x57]);
    expect(typeId('cpm', 0x01890a5dac96, random)).toBe('cpm_01h455vb4pex5vsknk084sn02q');
  });
});

describe('createIds', () => {
  it('takes the time from the clock and fresh bytes for each id, asked for many at a time', () => {
    let at = now;
    let filled = 0;
    const ids = createIds({ now: () => at }, (bytes) => {
      filled += 1;
      const view = new DataView(bytes.buffer);
      for (let i = 0; i < bytes.length; i += 10) view.setUint32(i + 6, i * filled);
      return bytes;
    });
    expect(filled).toBe(0);
    const made = Array.from({ length: 256 }, () => ids.next('cpm'));
    expect(filled).toBe(1);
    at += 1;
    made.push(ids.next('trm'));
    expect(filled).toBe(2);
    expect(new Set(made).size).toBe(257);
    expect(made.at(-1)).toMatch(/^trm_/);
    expect((made.at(-1) ?? '').slice(4) > (made[0] ?? '').slice(4)).toBe(true);
  });

  it('never repeats an id with the randomness of the runtime', () => {
    const ids = createIds({ now: () => now }, webRandom);
    const made = Array.from({ length: 1000 }, () => ids.next('prb'));
    expect(new Set(made).size).toBe(1000);
  });
});
