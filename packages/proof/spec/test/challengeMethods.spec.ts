import {
  type Call,
  createChairside,
  defaultRateLimits,
  errAsync,
  okAsync,
  type RateLimiter,
  type RateLimits,
} from '@chairside/core';
import { describe, expect } from 'vitest';
import { challengeMethods, problem } from '../src/answer.ts';
import type { Person } from '../src/people.ts';
import { describeEverywhere, type World } from '../src/world.ts';

interface Query {
  readonly [name: string]: string;
}

function list({ send }: World, query: Query, as: Person = 'customer') {
  return send('listChallengeMethods', as, { query });
}

describeEverywhere('listChallengeMethods', ({ it, makeWorld }) => {
  it('depends on the channel alone (D8)', async (world) => {
    for (const phoneNumber of ['+4930901820', '+4930901821']) {
      expect(challengeMethods(await list(world, { phoneNumber }))).toEqual({
        items: [{ label: 'sms' }],
        count: 1,
      });
    }
    for (const emailAddress of ['ada@marlow.example', 'nobody@marlow.example']) {
      expect(challengeMethods(await list(world, { emailAddress }))).toEqual({
        items: [{ label: 'email' }],
        count: 1,
      });
    }
  });

  it('offers the host’s extra methods to all callers (D8)', async () => {
    const world = await makeWorld({ challengeMethods: { phone: ['sms', 'voice'] } });
    for (const phoneNumber of ['+4930901820', '+4930901821']) {
      expect(challengeMethods(await list(world, { phoneNumber }))).toEqual({
        items: [{ label: 'sms' }, { label: 'voice' }],
        count: 2,
      });
    }
    const byEmail = challengeMethods(await list(world, { emailAddress: 'ada@marlow.example' }));
    expect(byEmail).toEqual({ items: [{ label: 'email' }], count: 1 });
  });

  it('reads neither the store nor the processor, so that its time reveals no account (D8)', async () => {
    const reads: string[] = [];
    const world = await makeWorld({
      store: (real) =>
        new Proxy(real, {
          get: (target, name, receiver) => {
            reads.push(String(name));
            return Reflect.get(target, name, receiver);
          },
        }),
    });
    reads.length = 0;
    challengeMethods(await list(world, { phoneNumber: '+4930901820' }));
    expect(reads).toEqual([]);
    expect(world.observations.map(({ kind }) => kind)).toEqual(['operation']);
  });

  it.for([
    '901820',
    '+4930901820',
    '+49 30 901820',
    '+49 (0)30 90-18.20',
    '(030) 901820',
    '+1 (555) 123-4567',
    '+1.555.123.4567',
    '0'.repeat(32),
  ])('accepts the phone number %s', async (phoneNumber) => {
    challengeMethods(await list(await makeWorld(), { phoneNumber }));
  });

  it.for(['a@b.de', 'Ada.Marlow+cut@Marlow.example', `${'x'.repeat(95)}@b.de`, '😀😀😀@b.de'])(
    'accepts the email address %s',
    async (emailAddress) => {
      challengeMethods(await list(await makeWorld(), { emailAddress }));
    },
  );

  it.for([
    ['phoneNumber', '90182'],
    ['phoneNumber', '0'.repeat(33)],
    ['phoneNumber', '49+30901820'],
    ['phoneNumber', '++4930901820'],
    ['phoneNumber', '+49 30  901820'],
    ['phoneNumber', '(030 901820'],
    ['phoneNumber', '+49 30 90182O'],
    ['phoneNumber', '901820-'],
    ['phoneNumber', '901820 '],
    ['phoneNumber', '٩٠١٨٢٠'],
    ['phoneNumber', ''],
    ['emailAddress', 'a@b.d'],
    ['emailAddress', `${'x'.repeat(96)}@b.de`],
    ['emailAddress', 'ada.marlow.example'],
    ['emailAddress', 'eve@marlow'],
    ['emailAddress', 'ada@marlow..example'],
    ['emailAddress', 'ada@@marlow.example'],
    ['emailAddress', 'ada marlow@marlow.example'],
    ['emailAddress', '😀@b.c'],
  ])('rejects as %s %j', async ([name, value]) => {
    const refused = problem(await list(await makeWorld(), { [name]: value }), 'badRequest');
    expect(refused.problems).toMatchObject([{ attributes: { pointer: `query/${name}` } }]);
    if (value !== '') expect(JSON.stringify(refused)).not.toContain(value);
  });

  it('rejects both channels, and neither', async (world) => {
    const both = { phoneNumber: '+4930901820', emailAddress: 'ada@marlow.example' };
    for (const query of [both, {}]) {
      const refused = problem(await list(world, query), 'badRequest');
      expect(refused.problems).toMatchObject([{ attributes: { pointer: 'query/phoneNumber' } }]);
      expect(refused.detail).toBe(
        'query/phoneNumber or query/emailAddress must be given, and not both.',
      );
    }
    problem(await list(world, { phoneNumber: '1', emailAddress: 'a' }), 'badRequest');
  });

  describe('is limited', () => {
    const limits = (over: Partial<RateLimits>) => ({
      rateLimits: { ...defaultRateLimits, ...over },
    });
    const windowMs = 60_000;

    it('for one caller', async () => {
      const world = await makeWorld(limits({ challengeMethods: { limit: 2, windowMs } }));
      for (const one of [1, 2]) {
        challengeMethods(await list(world, { phoneNumber: `+493090182${one}` }));
      }
      const refused = await list(world, { phoneNumber: '+4930901829' });
      expect(problem(refused, 'tooManyRequests').recovery?.rateLimit).toEqual({
        limit: 2,
        remaining: 0,
        resetsAt: '2026-11-02T09:01:00.000Z',
      });
      challengeMethods(await list(world, { phoneNumber: '+4930901829' }, 'otherCustomer'));
    });

    it('for one target, with any caller and any spelling (D8)', async (world) => {
      const phones = [
        '+4930901820',
        '+49 (30) 90-18.20',
        '+49 (0)30 901820',
        '4930901820',
        '004930901820',
      ];
      // The last has full-width letters, which mail servers treat as the plain ones.
      const emails = ['ada@marlow.example', 'Ada@Marlow.Example', 'ada@ｍarlow.ｅxample'];
      for (const [name, variants] of [
        ['phoneNumber', phones],
        ['emailAddress', emails],
      ] as const) {
        const limited = await makeWorld(
          limits({ challengeTargets: { limit: variants.length, windowMs } }),
        );
        for (const value of variants) {
          challengeMethods(await list(limited, { [name]: value }));
          challengeMethods(await list(world, { [name]: value }));
        }
        const [first = ''] = variants;
        const refused = await list(limited, { [name]: first }, 'otherCustomer');
        expect(problem(refused, 'tooManyRequests')).toMatchObject({
          detail: `At most ${variants.length} such calls in 60 s.`,
          recovery: { rateLimit: { limit: variants.length, remaining: 0 } },
        });
        expect(refused.retryAfter).toBe(60);
      }
    });

    it('for each target by itself', async () => {
      const world = await makeWorld(limits({ challengeTargets: { limit: 1, windowMs } }));
      for (const emailAddress of ['strauss@marlow.example', 'strauß@marlow.example']) {
        challengeMethods(await list(world, { emailAddress }));
      }
    });

    it('for one target although the caller cannot be counted', async ({
      store,
      processor,
      clock,
    }) => {
      const [limit, remaining] = [1, 0];
      const take: RateLimiter['take'] = (policy, _, { windowMs }, now) =>
        policy === 'challengeTargets'
          ? okAsync({ policy, limit, windowMs, remaining, resetsAt: now, allowed: true })
          : errAsync({ kind: 'limiterFailed' });
      const node = createChairside({ store, processor, clock, rateLimiter: { take } });
      const call: Call = { auth: { subject: 'user-1' }, facts: {} };
      const query = { phoneNumber: '+4930901820' };
      expect((await node.listChallengeMethods(call, { query })).isOk()).toBe(true);
      expect(call.facts.rateLimit).toMatchObject({ policy: 'challengeTargets', remaining });
    });

    it('without giving its limiter the number or the address, which a database would keep', async ({
      store,
      processor,
      clock,
    }) => {
      const keys: string[] = [];
      const take: RateLimiter['take'] = (policy, key) => {
        if (policy === 'challengeTargets') keys.push(key);
        return errAsync({ kind: 'limiterFailed' });
      };
      const node = createChairside({ store, processor, clock, rateLimiter: { take } });
      for (const query of [
        { phoneNumber: '+4930901820' },
        { emailAddress: 'ada@marlow.example' },
      ]) {
        const listed = await node.listChallengeMethods({ subject: 'user-1' }, { query });
        expect(listed.isOk()).toBe(true);
      }
      expect(keys).toEqual([1, 2].map(() => expect.stringMatching(/^[0-9a-f]{64}$/)));
    });

    it('and reports the tighter of the two quotas', async () => {
      const world = await makeWorld(
        limits({
          challengeMethods: { limit: 3, windowMs },
          challengeTargets: { limit: 2, windowMs },
        }),
      );
      const seen = [];
      for (const phoneNumber of ['+491', '+491', '+492'].map((start) => `${start}0901820`)) {
        const auth = { subject: 'user-1' };
        const call: Call = { auth, facts: {} };
        await world.chairside.listChallengeMethods(call, { query: { phoneNumber } }).unwrapOr(null);
        seen.push([call.facts.rateLimit?.policy, call.facts.rateLimit?.remaining]);
      }
      expect(seen).toEqual([
        ['challengeTargets', 1],
        ['challengeTargets', 0],
        ['challengeMethods', 0],
      ]);
    });
  });
});
