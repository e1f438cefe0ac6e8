import { expect, it } from 'vitest';
import { simulatePhones } from './register/simulate-phones.ts';

const seeds = 60;

it('keeps every promise while apps take payments, die and return', async () => {
  let phones = 0;
  let kills = 0;
  let paid = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const report = await simulatePhones(seed);
    expect(report.faults, `seed ${seed}`).toEqual([]);
    phones += report.phones;
    kills += report.kills;
    paid += report.paid;
  }
  console.log(`${seeds} seeds, ${phones} phones, ${kills} kills, ${paid} paid`);
  // Without successful payments, the test would prove too little.
  expect(paid).toBeGreaterThan(phones / 4);
});

it('finds an app that loses its notes', async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= seeds && found.length === 0; seed += 1) {
    const forgetful = await simulatePhones(seed, (plans) =>
      plans.map((plan) => ({ ...plan, losesNotes: true, kills: [18, 22, 26], goneMs: [0, 0, 0] })),
    );
    found.push(...forgetful.faults);
  }
  expect(found.join()).toContain('was approved and forgotten');
});
