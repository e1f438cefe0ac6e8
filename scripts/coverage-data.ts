// The proofs that `coverage.ts` cannot read from the code: the tests of each decision and each
// limit. A proof is a test file and a part of a test's name. The script fails if no test matches.

export type Proof = readonly [file: string, title: string];

const core = (name: string) => `packages/core/test/${name}.test.ts`;
const spec = (name: string) => `packages/proof/spec/test/${name}.spec.ts`;
const h3 = (name: string) => `packages/h3/test/${name}.test.ts`;
const create = spec('createContactlessPayment');
const capture = spec('captureContactlessPayment');
const cancel = spec('cancelContactlessPayment');
const interrupted = spec('interruptedCreate');
const prepare = spec('preparePaymentMethod');
const terminals = spec('terminals');
const business = spec('business');
const challenge = spec('challengeMethods');
const events = spec('domainEvents');
const messages = spec('processorEvents');
const refunds = spec('refundPayment');
const reviewList = spec('reviewList');
const erasure = spec('erasure');
const hostRecords = spec('hostRecords');
const checkpointer = 'packages/sqlite/test/checkpointer.test.ts';
const sqliteFailure = 'packages/sqlite/test/failure.test.ts';
const failingDisk = 'packages/proof/trials/test/failingDisk.spec.ts';
const money = spec('regressionsMoney');
const storeContract = (name: string) => `packages/proof/testkit/src/store/contract/${name}.ts`;

/** Specs of operations without a file of the same name. */
export const operationSpecs: Readonly<Record<string, string>> = {
  listContactlessPayments: spec('readPayments'),
  getContactlessPayment: spec('readPayments'),
  registerTerminal: terminals,
  listTerminals: terminals,
  getTerminal: terminals,
  deleteTerminal: terminals,
  releaseTerminal: terminals,
  createTerminalConnectionToken: terminals,
  readPaymentMethodSetup: prepare,
  removeFinancialAccount: business,
  deleteBarberSchedule: business,
  getPayoutPreferences: business,
  listChallengeMethods: challenge,
  getPaymentTimeline: events,
  getReceipt: events,
  receiveProcessorEvent: messages,
  events,
  records: hostRecords,
  reconcile: spec('review'),
  getAppointmentLedger: money,
  upkeep: core('upkeep'),
  listReviews: reviewList,
  resolveReview: reviewList,
  getRefund: refunds,
  listRefunds: refunds,
  listDisputes: refunds,
  eraseCustomer: erasure,
};

/** Rows of the host's use cases; the error-table spec has those of the interface. */
export const rowProofs: Readonly<Record<string, Proof>> = {
  'refundPayment: badRequest': [refunds, 'rejects an invalid body: %j'],
  'refundPayment: forbidden': [refunds, 'permits only the business and administrators'],
  'refundPayment: notFound': [refunds, 'permits only the business and administrators'],
  'refundPayment: conflict': [refunds, 'refunds parts, and never more than was captured'],
  'refundPayment: unprocessableEntity': [refunds, 'rejects an invalid body: %j'],
  'refundPayment: paymentProviderNotSetup': [refunds, 'frees the key and the amount'],
  'getRefund: forbidden': [refunds, 'permits only the business and administrators'],
  'getRefund: notFound': [refunds, 'permits only the business and administrators'],
  'listRefunds: forbidden': [refunds, 'permits only the business and administrators'],
  'listRefunds: notFound': [refunds, 'permits only the business and administrators'],
  'listDisputes: badRequest': [refunds, 'leaves room for disputes'],
  'cancelContactlessPayment: forbidden': [
    cancel,
    'permits the appointment’s barber, its business and administrators',
  ],
  'cancelContactlessPayment: notFound': [
    cancel,
    'permits the appointment’s barber, its business and administrators',
  ],
  'cancelContactlessPayment: conflict': [cancel, 'rejects a captured payment'],
  'getAppointmentLedger: forbidden': [money, 'permits only its business and administrators'],
  'getAppointmentLedger: notFound': [money, 'returns zero for one without payments'],
  'getPaymentTimeline: forbidden': [
    events,
    'permit only the people who run the shop, and receipts only for captured payments',
  ],
  'getPaymentTimeline: notFound': [
    events,
    'permit only the people who run the shop, and receipts only for captured payments',
  ],
  'getReceipt: forbidden': [
    events,
    'permit only the people who run the shop, and receipts only for captured payments',
  ],
  'getReceipt: notFound': [
    events,
    'permit only the people who run the shop, and receipts only for captured payments',
  ],
  'getReceipt: conflict': [
    events,
    'permit only the people who run the shop, and receipts only for captured payments',
  ],
  'listReviews: badRequest': [reviewList, 'keeps an entry until a person resolves it'],
  'resolveReview: badRequest': [reviewList, 'keeps an entry until a person resolves it'],
  'resolveReview: notFound': [reviewList, 'keeps an entry until a person resolves it'],
  'resolveReview: conflict': [reviewList, 'keeps an entry until a person resolves it'],
  'events: badRequest': [hostRecords, 'hears that %s was not applied'],
  'events: notFound': [events, 'are dead letters after ten refusals'],
  'upkeep: badRequest': [core('upkeep'), 'input %j: 400, and no work is done'],
  'eraseCustomer: badRequest': [erasure, 'rejects invalid input'],
  'receiveProcessorEvent: badRequest': [messages, 'rejects unsigned, changed and old messages'],
  'records: badRequest': [hostRecords, 'hears that %s was not applied'],
  'records: unprocessableEntity': [spec('records'), 'do not work from'],
  'releaseTerminal: badRequest': [hostRecords, 'hears that %s was not applied'],
  'releaseTerminal: forbidden': [terminals, 'frees a lost device for its next owner'],
  'releaseTerminal: notFound': [terminals, 'frees a lost device for its next owner'],
  'readPaymentMethodSetup: forbidden': [prepare, 'permits its customer and administrators'],
  'readPaymentMethodSetup: notFound': [prepare, 'returns 404 for an unopened or unknown setup'],
};

export interface Limit {
  readonly field: string;
  readonly limit: string;
  readonly file: string;
  readonly proofs: readonly Proof[];
}

const schemas = 'packages/core/src/schemas';
const barber = (field: string, limit: string): Limit => ({
  field: `BarberReference.${field}`,
  limit,
  file: `${schemas}/appointment.ts`,
  proofs: [[core('schemas'), 'a barber > may not have %o']],
});
const card = (field: string, limit: string): Limit => ({
  field: `Card.${field}`,
  limit,
  file: `${schemas}/contactless-payment.ts`,
  proofs: [[core('schemas'), 'a card > may not have %o']],
});
const device = (field: string, limit: string): Limit => ({
  field,
  limit,
  file: `${schemas}/terminal.ts`,
  proofs: [
    [terminals, 'rejects malformed requests'],
    [terminals, 'accepts values of the maximum length'],
  ],
});

export const limits: readonly Limit[] = [
  {
    field: '`Idempotency-Key`',
    limit: '1 to 255 characters',
    file: `${schemas}/shared.ts`,
    proofs: [[core('schemas'), 'an idempotency key > is not']],
  },
  {
    field: 'money',
    limit: 'exact decimal, two digits, at most 15 in all',
    file: 'packages/core/src/domain/money.ts',
    proofs: [
      [core('money'), 'rejects the form %j'],
      [core('money'), 'rejects the sixteenth digit of %.24s'],
    ],
  },
  {
    field: 'timestamp',
    limit: 'RFC 3339, UTC, milliseconds, a day of the calendar',
    file: 'packages/core/src/domain/time.ts',
    proofs: [[core('time'), 'a timestamp > is invalid if %s']],
  },
  {
    field: 'ianaTimeZone',
    limit: 'of the IANA list',
    file: 'packages/core/src/domain/time.ts',
    proofs: [[core('time'), 'a time zone > is not']],
  },
  {
    field: 'path ids',
    limit: '1 to 255 characters, none of them a control',
    file: 'packages/core/src/domain/text.ts',
    proofs: [[core('text'), 'canBeId > rejects']],
  },
  barber('givenName', '1 to 55'),
  barber('surname', '1 to 55'),
  barber('preferredName', 'at most 55'),
  barber('biography', 'at most 2000'),
  barber('spokenLanguages', '1 to 3 items'),
  barber('experience', '0 to 100'),
  barber('instagram', '1 to 30, letters, digits, dots, underscores'),
  barber('urlSlug', '3 to 40, a bookingSlug'),
  barber('profileImage_URL', 'a URI, at most 255'),
  card('maskedPersonalAccountNumber', 'an asterisk and four digits'),
  card('expirationMonth', '01 to 12'),
  card('expirationYear', 'four digits'),
  card('network, fundingType, tokenizationMethod', 'the literals of the interface'),
  {
    field: 'externalPaymentReference.id',
    limit: 'at most 255',
    file: `${schemas}/contactless-payment.ts`,
    proofs: [
      [core('schemas'), 'a reference has the one supported processor, and at most 255 characters'],
    ],
  },
  {
    field: 'externalPaymentReference.paymentProcessor',
    limit: '`processor_a`',
    file: `${schemas}/contactless-payment.ts`,
    proofs: [
      [core('schemas'), 'a reference has the one supported processor, and at most 255 characters'],
    ],
  },
  device('deviceIdentifier', '1 to 255'),
  device('deviceModel', 'at most 100'),
  device('osVersion', 'at most 50'),
  device('appVersion', 'at most 50'),
  device('terminalSdkVersion', 'at most 50'),
  device('platform', '`ios`, `android`'),
  {
    field: 'phoneNumber',
    limit: '6 to 32, digits and separators',
    file: `${schemas}/challenge-methods.ts`,
    proofs: [[challenge, 'rejects as %s %j']],
  },
  {
    field: 'emailAddress',
    limit: '6 to 100',
    file: `${schemas}/challenge-methods.ts`,
    proofs: [[challenge, 'rejects as %s %j']],
  },
  {
    field: 'count of lists',
    limit: 'int16, at least 0',
    file: `${schemas}/shared.ts`,
    proofs: [[core('schemas'), 'counts fit int16']],
  },
  {
    field: 'problem.title',
    limit: 'at most 120',
    file: 'packages/core/src/domain/problem-types.ts',
    proofs: [[core('problem'), 'have titles that fit']],
  },
  {
    field: 'problem.detail',
    limit: 'at most 256',
    file: 'packages/core/src/domain/problem-types.ts',
    proofs: [[core('problem'), 'is valid for any content of any length']],
  },
  {
    field: 'problem.problems',
    limit: 'at most 128',
    file: 'packages/core/src/domain/problem-types.ts',
    proofs: [[core('problem'), 'nests at most 128 others, and counts them all']],
  },
  {
    field: 'problem.instance',
    limit: 'at most 2048, else left out',
    file: 'packages/core/src/call/perform.ts',
    proofs: [[h3('regressions'), 'is omitted without one, and if it would be too long']],
  },
  {
    field: '`Retry-After`',
    limit: 'whole seconds, at least 1',
    file: 'packages/core/src/domain/problem-types.ts',
    proofs: [[core('problem'), 'retryAfterSeconds > is the time to the end of the window']],
  },
  {
    field: 'request body',
    limit: '16 KiB',
    file: 'packages/h3/src/body.ts',
    proofs: [[h3('handler'), 'has at most 16 KiB']],
  },
  {
    field: 'request headers',
    limit: '16 KiB',
    file: 'packages/h3/src/node-server.ts',
    proofs: [[h3('node-server'), '%s gets a problem']],
  },
  {
    field: 'depth of a request body',
    limit: '32 levels',
    file: 'packages/h3/src/json.ts',
    proofs: [[h3('handler'), '%.20s is malformed']],
  },
  {
    field: 'formats of integers',
    limit: 'int16, int32, uint32, uint64',
    file: 'packages/h3/src/openapi/schemas.ts',
    proofs: [[spec('openapi'), 'names the formats of the interface’s integers']],
  },
];

/** In addition to the tests whose names quote the number. */
export const decisionProofs: Readonly<Record<string, readonly Proof[]>> = {
  D1: [
    [core('id'), 'is a prefix and a UUIDv7'],
    [core('text'), 'canBeId > rejects'],
    [create, 'an unknown appointment with any id'],
    [core('id'), 'agrees with the TypeID specification'],
  ],
  D2: [
    [core('money'), 'reads every amount of the wire'],
    [create, 'an amount that is zero, negative or too long'],
  ],
  D3: [
    [core('time'), 'a timestamp > is invalid if %s'],
    [core('time'), 'a time zone > is not'],
  ],
  D4: [[terminals, 'rejects malformed requests']],
  D5: [
    [core('device-policy'), 'names every failed rule'],
    [terminals, 'returns each rule that a device fails'],
  ],
  D6: [
    [terminals, 'registers a device once at a time, for any barber'],
    [terminals, 'frees a lost device'],
  ],
  D7: [[business, 'shows each of the four kinds of settings']],
  D8: [
    [challenge, 'depends on the channel alone'],
    [challenge, 'offers the host’s extra methods to all callers'],
    [challenge, 'reads neither the store nor the processor, so that its time reveals no account'],
    [challenge, 'for one target, with any caller and any spelling'],
  ],
  D9: [['packages/stripe/test/ledger.test.ts', 'cards > are named by the host’s tables']],
  D10: [[spec('authorizationMatrix'), 'the access matrix']],
  D11: [
    [h3('handler'), 'is read after authentication'],
    [h3('handler'), 'has at most 16 KiB under any Content-Length, checked before all else'],
    [business, 'does not reveal the accounts of others'],
    [business, 'returns 404 for one under another barber'],
  ],
  D12: [
    [core('input'), 'names every invalid place by JSON Pointer or header'],
    [core('input'), 'names each unknown property, at every level'],
    [core('input'), 'omits names that are long, or unsafe for a log or a screen'],
    [core('input'), 'names at most 128, and counts the rest'],
    [create, 'a malformed request, with every fault and its place'],
    [h3('handler'), 'is rejected for an operation without one'],
    [core('text'), 'isStorable > is true for text that survives UTF-8 and has no U+0000'],
    [core('schemas'), 'a barber > rejects text that some store cannot keep'],
  ],
  D13: [
    [capture, 'two payments race'],
    [capture, 'an amount that fits only without the reserved sum may be retried'],
    [capture, 'an amount that exceeds the rest after captures is released'],
    [capture, 'resumes the first one’s work, and never releases the reservation'],
    [capture, 'for a partial authorization, which is released and counts as declined'],
    [create, 'a fifty-first open payment'],
    [capture, 'for an appointment that the host has removed'],
  ],
  D14: [
    [create, 'a business without a processor account'],
    [capture, 'for a business whose processor account is no longer set up'],
  ],
  D15: [
    [
      core('follow-ledger'),
      'corrects a payment that is canceled here and captured there, and marks it',
    ],
  ],
  D16: [
    [capture, 'with a reference of another payment, or an unknown one'],
    [capture, 'before a card was presented'],
    [capture, 'before a card was presented'],
  ],
  D17: [
    [cancel, 'reports canceled only after the processor confirms it'],
    [cancel, 'expires payments without a card'],
    [capture, 'an expiry that has begun excludes the capture'],
    [spec('readPayments'), 'never call the processor'],
    [cancel, 'keeps a payment with a late card until its own deadline'],
  ],
  D18: [
    [core('business'), 'hasTwoDecimals > is false for %j'],
    [core('records'), 'a business > has no account in'],
  ],
  D19: [
    [core('schemas'), 'an idempotency key > is not'],
    [create, 'is rejected for another amount, another appointment and an explicit amount'],
    [create, 'is one payment for a hundred concurrent requests; the others must retry'],
    [create, 'is independent for another person'],
    [h3('node-server'), 'has one key'],
  ],
  D20: [
    [cancel, 'takes a new processor key only once a read has proved'],
    [capture, 'holds the payment with a new fence and a new version'],
    [interrupted, 'of a dead process is finished by a retry'],
    [interrupted, 'is never newly opened'],
    [capture, 'takes a new processor key only once the old one proved dead'],
    [interrupted, 'says "not applied" if it is proven, and then keeps no record'],
    [interrupted, 'that the processor rejects on the retry is withdrawn if it had not'],
    [capture, 'waits while the first captures, and then gets its response'],
    [capture, 'resumes the first one’s work, and never releases the reservation'],
  ],
  D21: [
    [create, 'is the same payment, byte for byte'],
    [create, 'replays a rejection that the request alone has caused'],
    [cancel, 'deletes keys after three days, and never before'],
    [core('views'), 'shows no reference before a card was presented'],
    [core('views'), 'is the same byte for byte, after all later changes'],
    [create, 'replays a rejection that the request alone has caused'],
    [create, 'is evaluated again after a rejection that may pass'],
    [capture, 'replays that the payment was canceled'],
  ],
  D22: [
    [core('perform'), 'no problem says "not applied"'],
    [core('commit'), 'with an unknown outcome is read back, and was written'],
    [capture, 'reports an unknown outcome, and finds the capture that lands later'],
  ],
  D23: [
    [prepare, 'opens a session for the customer, for one hour'],
    [prepare, 'returns its customer, whether it was completed and whether it may be reused'],
    [prepare, 'a customer whom the processor no longer knows, and keeps no record of it'],
  ],
  D24: [
    [terminals, 'makes a new token each time'],
    [h3('handler'), 'the response is a problem without details of the cause'],
  ],
  D25: [
    [messages, 'leads to the same state in any order and with any repetition'],
    [messages, 'applies a message once'],
    [messages, 'reports refunds and disputes, and changes neither state nor balance'],
  ],
  D26: [
    [events, 'report each change of a payment, in order, as CloudEvents'],
    [events, 'are delivered again until the handler accepts them, unchanged and in the same order'],
    [events, 'are dead letters after ten refusals'],
  ],
  D27: [
    [cancel, 'finishes a capture whose process died'],
    [cancel, 'waits longer after each unknown outcome, and never turns "unknown" into "failed"'],
    [cancel, 'may run twice at once'],
    [
      messages,
      'cancels our payments that are an hour old and uncaptured; known ones stay unchanged',
    ],
  ],
  D28: [[h3('node-server'), '%s gets a problem']],
  D29: [
    [capture, 'gets a 429 with "unknown" for any key, because it is not looked up'],
    [core('admission'), 'without a token must sign in, with a bad one must refresh it'],
    [core('problem'), 'must not be retried by default'],
    [h3('regressions'), 'is the public address of the request'],
  ],
  D30: [
    [business, 'keeps the default account until another one'],
    [business, 'returns 404 for an account under another business, the caller’s or not'],
    [business, 'returns 404 for one under another barber'],
    [business, 'keeps one that the host still needs'],
  ],
  D31: [
    [core('admission'), 'a limiter that fails > lets calls pass when it %s, and is reported'],
    [h3('handler'), 'is counted, and hears when the limit is exceeded'],
    [h3('handler'), 'gets consistent waiting times, even if the clock moves meanwhile'],
    [core('admission'), 'is counted by address, and against no other caller'],
    [h3('handler'), 'is counted by address when authentication fails'],
  ],
  D32: [[spec('openapi'), 'has a version and a server']],
  D33: [
    [h3('handler'), 'has at most 16 KiB'],
    [h3('handler'), 'an answer > has its headers'],
    [core('input'), 'says whether a member is missing, unknown or of another type'],
  ],
  D34: [
    [terminals, 'requires a processor account, and a location that the processor knows'],
    [h3('handler'), 'is rejected for an operation without one'],
  ],
  D35: [
    [core('records'), 'an appointment > is kept unchanged'],
    [storeContract('host'), 'lets a host replace a group by spreading'],
    [
      'packages/proof/spec/test/hostRecords.spec.ts',
      'is accepted as testkit’s builders make it (D35)',
    ],
  ],
  D36: [[events, 'show the required content of a receipt']],
  D40: [['packages/stripe/test/options.test.ts', 'returns the reach of a connection token']],
  D41: [
    [spec('expiredSetups'), 'is not accepted if it was completed 50 hours after it began'],
    [prepare, 'is kept for 72 hours after the session’s end, and then deleted'],
    [prepare, 'is checked ever more rarely while the processor is silent, and finally deleted'],
  ],
  D42: [
    [spec('clocks'), 'releases no authorization in its upkeep'],
    [spec('clocks'), 'deletes no key'],
    [
      'packages/proof/spec/test/clocks.spec.ts',
      'opens one payment at the processor, however late it is sent again',
    ],
  ],
  D43: [
    [reviewList, 'keeps an entry until a person resolves it'],
    [reviewList, 'has a captured orphan once, even if the process died after finding it'],
    [
      reviewList,
      'has 20 entries of an account and reason, and counts further payments in one more',
    ],
  ],
  D44: [
    [refunds, 'refunds parts, and never more than was captured'],
    [refunds, 'uses another key only after the processor replied with a failure'],
    [refunds, 'only looks once the processor may have forgotten the key'],
    [refunds, 'refunds once under concurrent requests'],
    [storeContract('returned'), 'keeps no reservation that was decided by another version'],
    [refunds, 'counts refunds made elsewhere, found by their message or by the next refund'],
    [refunds, 'finds refunds made elsewhere by upkeep, if their message was lost'],
    [refunds, 'is pending for days, and then fails'],
    [refunds, 'fails for good if a later call is rejected, and ends the reservation'],
  ],
  D45: [
    [refunds, 'leaves room for disputes that are open or lost'],
    [refunds, 'refunds no part of a payment that is disputed in another currency'],
  ],
  D46: [
    [core('refunds'), 'is the fixed part and the share'],
    [spec('refundsGuide'), 'ends in books that agree to the cent'],
    [spec('applicationFees'), 'is not captured where the processor shows another fee'],
  ],
  D47: [
    [erasure, 'a client secret stays until the payment is final and its keys are deleted'],
    [
      erasure,
      'a customer’s erasure removes the card of settled payments, and keeps amounts and ids',
    ],
    [erasure, 'a customer’s erasure deletes all finished setups, however many'],
    [spec('domainEvents'), 'hold no free text, neither of the caller nor of the processor (D47)'],
  ],
  D51: [
    [spec('foreignObjects'), 'do not hide a refund of the dashboard, whose message was lost'],
    [spec('foreignObjects'), 'stops no other one, and gets a review in the end'],
    [spec('foreignObjects'), 'is found by upkeep'],
    [reviewList, 'has a payment that the adapter cannot read in the processor’s list'],
    [
      messages,
      'cancels our payments that are an hour old and uncaptured; known ones stay unchanged',
    ],
    [messages, 'reports captured ones, and leaves them unchanged'],
    [messages, 'lists again after a failure'],
    [messages, 'recognises a payment that was opened twice by the recorded one'],
    [messages, 'leaves an unfinished create alone'],
    [
      'packages/proof/spec/test/clocks.spec.ts',
      'is canceled if it is opened after another node has closed it',
    ],
  ],
  D55: [
    [reviewList, 'is reported once, even if its message is repeated after eight days: %s'],
    [events, 'that stay undelivered are dropped after thirty days'],
    [storeContract('forgetting'), 'ids of commits before a time'],
    [storeContract('forgetting'), 'remembers a message of the processor until its deletion'],
    [
      'packages/proof/spec/test/clocks.spec.ts',
      'keeps its keys for 72 hours by the clock of the processor',
    ],
    [
      'packages/proof/spec/test/repeatedCapture.spec.ts',
      'has the same answer for 72 hours, and then the secret and the key are gone',
    ],
  ],
  D58: [
    [spec('authorizationMatrix'), 'the access matrix'],
    [cancel, 'permits the appointment’s barber, its business and administrators'],
    [events, 'permit only the people who run the shop, and receipts only for captured payments'],
    [terminals, 'frees a lost device for its next owner'],
  ],
  D62: [
    [h3('handler'), 'gets a 503 if the host fails to authenticate'],
    [h3('handler'), 'returns 405 without authentication'],
    [h3('handler'), 'is decoded once, and rejected if it cannot be'],
    [h3('handler'), 'names a created resource'],
    [h3('node-server'), 'a request that takes too long is rejected, and its rest is ignored'],
    [h3('node-server'), '%s gets a problem'],
    [h3('hosts'), 'accepts the path with its base path, or without it if the framework removed it'],
    [h3('hosts'), 'receives the request after the token'],
  ],
  D63: [
    [storeContract('lists'), "an appointment's newest payments, oldest first"],
    [storeContract('lists'), "a barber's newest terminals, oldest first"],
    [core('input'), 'names at most 128, and counts the rest'],
    [core('background'), 'drops tasks beyond 256 at once, and accepts more afterwards'],
    [
      core('follow-ledger'),
      'a timeline > keeps all entries at first, then its first and its latest half',
    ],
    [core('rate-limit'), 'forgets the oldest window when it is full'],
    [core('perform'), 'run again, up to eight times in all'],
  ],
  D68: [
    [core('perform'), 'from %s is a 500 with an unknown outcome'],
    [core('perform'), 'from the observer is ignored'],
    [core('chairside'), 'the challenge methods of a host > cannot be'],
  ],
  D69: [
    [checkpointer, 'copies committed pages into the database, and keeps the WAL bounded'],
    [checkpointer, 'starts no thread for a few pages'],
    [checkpointer, 'leaves checkpoints to the commits if the thread cannot start'],
    ['packages/sqlite/test/failing-disk.test.ts', 'is reported as long as it lasts'],
  ],
  D70: [
    [sqliteFailure, 'is unknown to all its commits, and ends all writing and reading'],
    [failingDisk, '%s reports it, and keeps every payment after a restart'],
  ],
  D71: [
    [
      'packages/proof/testkit/src/store/contract/faults.ts',
      'keeps what it acknowledged when the server crashes',
    ],
  ],
  D76: [
    [money, 'while a capture is unfinished: reconcile releases the payment'],
    [money, 'after the processor captured: the capture wins'],
  ],
  D77: [[money, 'waits for one call of a dead process, not for four']],
  D79: [[core('deciders'), 'is compared first, and not sent if the comparison fails']],
  D90: [['packages/sqlite/test/host-connection.test.ts', 'is left unchanged and open']],
  D93: [['packages/postgres/test/torn.test.ts', 'on a pool that the host shares, pipeline: %s,']],
  D97: [
    ['packages/stripe/test/events.test.ts', 'of API version'],
    ['packages/stripe/test/setups.test.ts', 'share one record while search is'],
  ],
  D100: [
    ['packages/proof/trials/test/simulation.spec.ts', 'keeps every promise over 150 seeds'],
    [
      'packages/proof/trials/test/plantedBugs.spec.ts',
      'finds each planted bug, by the run in its row',
    ],
  ],
  D103: [['packages/client/test/register.test.ts', 'captures first after a restart']],
  D104: [
    ['packages/client/test/send.test.ts', 'keeps unknown members and enum values'],
    ['packages/client/test/result.test.ts', 'with the same effect as the core'],
    ['packages/client/test/send.test.ts', 'also below a path of the page'],
  ],
  D116: [
    [
      'examples/another-processor/test/wrong-processors.test.ts',
      'wrong processors by the case that is named',
    ],
    ['packages/proof/testkit/test/wrong-stores.test.ts', 'wrong stores by the case that is named'],
    ['examples/another-store/test/simulation.test.ts', 'keeps every promise over node:sqlite'],
    [
      'packages/stripe/test/wire.test.ts',
      'the adapter’s requests and the stand-in’s replies match the SDK’s types',
    ],
  ],
  D127: [
    [
      'examples/local-server/test/till/till.test.ts',
      'goes on after the app and the server were killed',
    ],
  ],
  D128: [
    ['examples/local-server/test/docs.test.ts', 'the API reference works without any other origin'],
  ],
  D134: [
    [h3('upkeep'), 'rejects other callers, and other methods'],
    [core('background'), 'hands each task to the host'],
  ],
  D135: [
    ['packages/opentelemetry/test/metrics.test.ts', 'every series and label'],
    ['packages/opentelemetry/test/spans.test.ts', 'a use case is a span'],
  ],
  D136: [
    ['examples/own-tables/test/own-tables.test.ts', 'although an older event arrives after it'],
  ],
  D141: [
    [spec('openapi'), 'the two OpenAPI documents have every operation, and share none'],
    ['packages/client/test/bundle.test.ts', 'carries refunds only where they are imported'],
  ],
  D146: [[money, 'gets a response in time, from a slow processor and behind any number of others']],
  D147: [
    [core('operation'), 'is bound to ports, with its name for the observer and its rate limit'],
  ],
};
