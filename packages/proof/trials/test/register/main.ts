// Phones over many seeds: `npx --yes pnpm trial phones --seeds 1000`.
import { parseArgs } from 'node:util';
import { simulatePhones } from './simulate-phones.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
  },
});
const from = Number(values.from);
const sums = { seeds: 0, phones: 0, kills: 0, paid: 0, faults: 0 };
for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
  const { phones, kills, paid, faults } = await simulatePhones(seed);
  sums.seeds += 1;
  sums.phones += phones;
  sums.kills += kills;
  sums.paid += paid;
  sums.faults += faults.length;
  for (const fault of faults) console.log(`seed ${seed}: ${fault}`);
}
console.log(
  `${sums.seeds} seeds, ${sums.phones} phones, ${sums.kills} kills, ${sums.paid} paid, ${sums.faults} faults`,
);
process.exitCode = sums.faults > 0 ? 1 : 0;
