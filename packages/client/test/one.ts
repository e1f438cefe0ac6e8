import { cardNames } from './sweep/cards.ts';
import { sweep } from './sweep/sweep.ts';

for (const card of cardNames)
  for await (const row of sweep('fake processor', { pairStep: 100000, cards: [card] })) {
    if (!/another|dropped|stale/.test(row.what)) continue;
    console.log(row.what, row.runs, row.faults.length);
    for (const f of row.faults.slice(0, 4)) console.log('   ', f.slice(0, 300));
  }
