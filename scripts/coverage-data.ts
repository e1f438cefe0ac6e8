// The proofs that `coverage.ts` cannot read from the code: the test of each limit, and of each problem of the
// operations without a row in the error table. A proof is a test file and a part of a test's name. The script
// fails if no test matches. A test names its decision itself: `is a prefix and a UUIDv7 (D1)`.

export type Proof = readonly [file: string, title: string];

const core = (name: string) => `packages/core/test/${name}.test.ts`;
const spec = (name: string) => `packages/proof/spec/test/${name}.spec.ts`;
const h3 = (name: string) => `packages/h3/test/${name}.test.ts`;
const cancel = spec('cancelContactlessPayment');
const terminals = spec('terminals');
const challenge = spec('challengeMethods');
const events = spec('domainEvents');
const reviewList = spec('reviewList');
const hostRecords = spec('hostRecords');
const tips = spec('tips');
/** A conversation with every kind of response. */
const sameWithTips = 'are byte for byte the same with tips on and off';

/** Problems of the host's operations. The operation table of the specs has those of clients, and of access. */
export const rowProofs: Readonly<Record<string, Proof>> = {
  'listDisputes: badRequest': [spec('refundPayment'), 'leaves room for disputes'],
  'getStatement: badRequest': [spec('statement'), 'rejects an invalid day'],
  'getStatement: unprocessableEntity': [spec('statement'), 'says so if a day has too many'],
  'listPayouts: badRequest': [spec('statement'), 'lists no payouts of an invalid span'],
  'cancelContactlessPayment: conflict': [cancel, 'rejects a captured payment'],
  'cancelCharge: conflict': [spec('chargePaymentMethod'), 'returns the whole deposit'],
  'releasePaymentMethod: conflict': [spec('chargeRaces'), 'ends before the method is withdrawn'],
  'getReceipt: conflict': [
    events,
    'permit only the people who run the shop, and receipts only for captured payments',
  ],
  'tips: badRequest': [tips, 'is malformed as %j'],
  'tips: forbidden': [tips, sameWithTips],
  'tips: notFound': [tips, sameWithTips],
  'tips: conflict': [tips, 'neither grows nor shrinks'],
  'tips: appointmentAlreadyPaid': [tips, 'pays no part of what is due'],
  'tips: contactlessPaymentCanceled': [tips, sameWithTips],
  'tips: contactlessPaymentDeclined': [tips, sameWithTips],
  'tips: unprocessableEntity': [tips, 'is refused in %j'],
  'tips: paymentProviderNotSetup': [tips, sameWithTips],
  'tips: tipTooHigh': [tips, 'has the bound of the host'],
  'listReviews: badRequest': [reviewList, 'keeps an entry until a person resolves it'],
  'resolveReview: badRequest': [reviewList, 'keeps an entry until a person resolves it'],
  'resolveReview: notFound': [reviewList, 'keeps an entry until a person resolves it'],
  'resolveReview: conflict': [reviewList, 'keeps an entry until a person resolves it'],
  'events: badRequest': [hostRecords, 'hears that %s was not applied'],
  'events: notFound': [events, 'are dead letters after ten refusals'],
  'upkeep: badRequest': [core('upkeep'), 'input %j: 400, and no work is done'],
  'eraseCustomer: badRequest': [spec('erasure'), 'rejects invalid input'],
  'receiveProcessorEvent: badRequest': [
    spec('processorEvents'),
    'rejects unsigned, changed and old messages',
  ],
  'records: badRequest': [hostRecords, 'hears that %s was not applied'],
  'records: unprocessableEntity': [spec('records'), 'do not work from'],
  'releaseTerminal: badRequest': [hostRecords, 'hears that %s was not applied'],
};

const barber: Proof = [core('schemas'), 'a barber > may not have %o'];
const card: Proof = [core('schemas'), 'a card > may not have %o'];
const device: Proof = [terminals, 'accepts values of the maximum length'];
const reference: Proof = [core('schemas'), 'a reference has the one supported processor'];

/** The limits of the interface. */
export const limits: Readonly<Record<string, Proof>> = {
  '`Idempotency-Key`: 1 to 255 characters': [core('schemas'), 'an idempotency key > is not'],
  'money: an exact decimal with two digits': [core('money'), 'rejects the form %j'],
  'money: at most 15 digits in all': [core('money'), 'rejects the sixteenth digit of %.24s'],
  'timestamp: RFC 3339, UTC, milliseconds, a day of the calendar': [
    core('time'),
    'a timestamp > is invalid if %s',
  ],
  'ianaTimeZone: of the IANA list': [core('time'), 'a time zone > is not'],
  'path ids: 1 to 255 characters, none of them a control': [core('text'), 'canBeId > rejects'],
  'BarberReference.givenName: 1 to 55': barber,
  'BarberReference.surname: 1 to 55': barber,
  'BarberReference.preferredName: at most 55': barber,
  'BarberReference.biography: at most 2000': barber,
  'BarberReference.spokenLanguages: 1 to 3 items': barber,
  'BarberReference.experience: 0 to 100': barber,
  'BarberReference.instagram: 1 to 30, letters, digits, dots, underscores': barber,
  'BarberReference.urlSlug: 3 to 40, a bookingSlug': barber,
  'BarberReference.profileImage_URL: a URI, at most 255': barber,
  'Card.maskedPersonalAccountNumber: an asterisk and four digits': card,
  'Card.expirationMonth: 01 to 12': card,
  'Card.expirationYear: four digits': card,
  'Card.network, fundingType, tokenizationMethod: the literals of the interface': card,
  'externalPaymentReference.id: at most 255': reference,
  'externalPaymentReference.paymentProcessor: `processor_a`': reference,
  'deviceIdentifier: 1 to 255': device,
  'deviceModel: at most 100': device,
  'osVersion: at most 50': device,
  'appVersion: at most 50': device,
  'terminalSdkVersion: at most 50': device,
  'platform: `ios`, `android`': [terminals, 'rejects malformed requests'],
  'phoneNumber: 6 to 32, digits and separators': [challenge, 'rejects as %s %j'],
  'emailAddress: 6 to 100': [challenge, 'rejects as %s %j'],
  'count of lists: int16, at least 0': [core('schemas'), 'counts fit int16'],
  'problem.title: at most 120': [core('problem'), 'have titles that fit'],
  'problem.detail: at most 256': [core('problem'), 'is valid for any content of any length'],
  'problem.problems: at most 128': [
    core('problem'),
    'nests at most 128 others, and counts them all',
  ],
  'problem.instance: at most 2048, else left out': [
    h3('regressions'),
    'is omitted without one, and if it would be too long',
  ],
  '`Retry-After`: whole seconds, at least 1': [
    core('problem'),
    'retryAfterSeconds > is the time to the end of the window',
  ],
  'request body: 16 KiB': [h3('handler'), 'has at most 16 KiB'],
  'request headers: 16 KiB': [h3('node-server'), '%s gets a problem'],
  'depth of a request body: 32 levels': [h3('handler'), '%.20s is malformed'],
  'formats of integers: int16, int32, uint32, uint64': [
    spec('openapi'),
    'names the formats of the interface’s integers',
  ],
};
