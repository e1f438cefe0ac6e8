import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

// Faults that were reproduced once, and the tests that failed then. Start here to find the proof of one.

const packages = join(import.meta.dirname, '../../..');
const spec = (name: string) => `proof/spec/test/${name}.spec.ts`;
const h3 = (name: string) => `h3/test/${name}.test.ts`;
const sqlite = (name: string) => `sqlite/test/${name}.test.ts`;
const money = spec('regressionsMoney');
const outcomes = spec('outcomesUnderKeys');
const localServer = '../examples/local-server/test';

/** A test file, below `packages`, and a part of the test's name as it stands there. */
type Proof = readonly [file: string, title: string];

const faults: Readonly<Record<string, readonly Proof[]>> = {
  // Money
  'charged more than is owed: the amount fell while a capture was unfinished': [
    [money, 'while a capture is unfinished: reconcile releases the payment without a capture'],
    [money, 'while a capture is unfinished: a request that joins it does not capture'],
    [spec('loweredDues'), 'no capture exceeds the new amount'],
  ],
  '`notApplied` for a capture that was applied: role lost, quota used up, token expired': [
    [outcomes, 'is "unknown" to a caller who has lost the role'],
    [outcomes, 'is "unknown" to a caller above the quota'],
    [outcomes, 'is "unknown" to a token that is no longer valid'],
    [h3('regressions'), 'says "unknown" of %s, with a key or without readable headers'],
  ],
  'a lost create response is refused because the appointment has moved': [
    [outcomes, 'is returned again after the appointment moved to %s'],
  ],
  '`notApplied` although another system captured before the cancel': [
    [money, 'does not get "not applied" if it exceeds the remainder'],
    [spec('partialAuthorization'), 'is declined, and released later if it cannot be now'],
  ],
  'the barber of another business reads and captures a payment': [
    [spec('changedHands'), 'shows its payments to the barber who opened them, and to no other'],
    [spec('changedHands'), 'captures its payments only for the barber who opened them'],
  ],
  'two currencies in one ledger': [
    [money, 'does not capture an authorization in the old one'],
    [money, 'rejects a second payment of an appointment that was partly paid in the old one'],
  ],
  'a connection token of destination charges reaches the platform unsaid': [
    ['stripe/test/options.test.ts', 'tokenReach'],
  ],
  'a clock that is hours ahead cancels authorizations': [
    [spec('clocks'), 'releases no authorization in its upkeep'],
    [spec('clocks'), 'releases no authorization in a capture'],
  ],
  'a payment-method setup is accepted long after its end': [
    [spec('expiredSetups'), 'is not accepted if it was completed 50 hours after it began'],
    [spec('expiredSetups'), 'is canceled at the processor by reconcile'],
  ],
  'a review is reported once and then lost': [
    [spec('reviewList'), 'has a captured orphan once, even if the process died after finding it'],
  ],
  'a refund that is redelivered after a week is reported twice': [
    [spec('reviewList'), 'is reported once, even if its message is repeated after eight days'],
  ],
  'one unreadable payment makes the whole list fail': [
    [spec('reviewList'), 'has a payment that the adapter cannot read'],
    ['stripe/test/ledger.test.ts', "status: 'held'"],
  ],
  'every account of a platform lists the whole platform': [
    [spec('sharedLedger'), 'lists the ledger once for all accounts'],
    [spec('sharedLedger'), 'makes progress in each run'],
    ['stripe/test/ledger.test.ts', 'busyPlatform'],
  ],
  'a retry waits 85 seconds for the lease of a dead process': [
    [money, 'waits for one call of a dead process, not for four'],
  ],
  'a request makes slow processor calls without a deadline for the whole': [
    [money, 'gets a response in time, from a slow processor'],
  ],
  "an event's API version is not checked": [
    ['stripe/test/events.test.ts', 'of API version %s: %s'],
  ],
  'a host changes the connection that it shares with the store': [
    ['postgres/test/shared-connection.test.ts', 'Object.keys(habits)'],
    [sqlite('host-connection'), "a host's connection"],
  ],

  // HTTP
  '`instance` is a path, and the problem base differs by deployment': [
    [h3('regressions'), 'is the public address of the request, without its query'],
    [h3('regressions'), 'the problem base is one constant by default'],
    [h3('over-a-socket'), 'are the constant base and no instance by default'],
  ],
  'an applied request gets no response because bytes that are not HTTP follow': [
    [h3('regressions'), 'even if other bytes than HTTP follow'],
  ],
  'a body that a middleware has read becomes a retryable 500': [
    [h3('body-parsers'), 'gets a 500 with the cause'],
    [h3('regressions'), 'gets a final problem with its cause'],
  ],
  '`WWW-Authenticate` has no parameter, and a 415 does not say what is accepted': [
    [h3('regressions'), 'name the realm, and the error of a token that is not valid'],
    [h3('regressions'), 'name the accepted coding for a compressed body alone'],
    [h3('over-a-socket'), 'the headers of a'],
  ],
  'a quoted key is another key': [[outcomes, 'is the key between them']],
  '`/docs/` does not work as `/docs` does': [[`${localServer}/docs.test.ts`, "get('/docs/')"]],
  'personal data cannot be erased': [
    [spec('erasure'), 'a client secret stays until the payment is final'],
    [spec('erasure'), 'erasure removes the card of settled payments'],
  ],
  'the registration refuses a real phone': [
    [spec('terminals'), 'accepts a phone that calls itself %s'],
    [h3('over-a-socket'), 'is accepted: %o'],
  ],
  'a terminal does not show the location that its SDK needs': [
    [spec('terminals'), 'shows no location if the business has none'],
  ],

  // Disk and socket
  'writing stops the checkpoints until a restart, and the WAL grows': [
    [sqlite('failing-disk'), 'a database file that cannot be written for a while'],
  ],
  'a failed read is logged as a malformed database': [
    [sqlite('failing-disk'), 'with its meaning'],
    [sqlite('failing-disk'), 'on the page for operators'],
  ],
  'a client that closes its sending half gets no response': [
    [h3('regressions'), 'even if the client has closed its half of the connection'],
  ],
  'the simulated processor loses its newest entries in a power cut': [
    [`${localServer}/durable-ledger.test.ts`, 'DELETE FROM ledger'],
  ],
};

describe('the proof of each fault', () => {
  it.each(Object.entries(faults))('%s', (_, proofs) => {
    expect(proofs.length).toBeGreaterThan(0);
    for (const [file, title] of proofs) {
      expect(readFileSync(join(packages, file), 'utf8'), file).toContain(title);
    }
  });
});
