import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Receipt, receiptToHtml, receiptToText } from '../index.ts';

const paid: Receipt = {
  contactlessPaymentId: 'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
  shopName: 'Marlow & Sons',
  locationName: 'Old Town',
  barberName: 'Ada Marlow',
  timeZone: 'Europe/Berlin',
  amount: '50.00',
  tip: '5.00',
  currency: 'eur',
  capturedAt: '2026-10-30T23:20:42.000Z',
  refunds: [
    { amount: '10.00', state: 'succeeded', createdAt: '2026-11-02T10:30:00.000Z' },
    { amount: '5.00', state: 'pending', createdAt: '2026-11-03T10:30:00.000Z' },
  ],
  card: {
    maskedPersonalAccountNumber: '*4242',
    network: 'network_a',
    fundingType: 'credit',
    expirationMonth: '04',
    expirationYear: '2029',
  },
  applicationPreferredName: 'VISA CREDIT',
  applicationIdentifier: 'A0000000031010',
  accountType: 'credit',
  authorizationCode: '123456',
  authorizationResponseCode: '3030',
  applicationCryptogramType: 'TC',
  applicationCryptogram: '9F26A1B2C3D4E5F6',
  terminalVerificationResults: '0000008000',
  transactionStatusInformation: 'E800',
  cardholderVerification: 'device',
};
/** All that a processor must give. */
const bare: Receipt = {
  contactlessPaymentId: 'cpm_1',
  shopName: 'Marlow',
  locationName: 'Marlow',
  barberName: 'Ada Marlow',
  amount: '45.00',
  currency: 'eur',
  capturedAt: '2026-10-30T23:20:42.000Z',
  refunds: [],
};

const cash = {
  kind: 'cash',
  amount: '20.00',
  currency: 'eur',
  createdAt: paid.capturedAt,
} as const;

describe('a printed receipt', () => {
  it('names a visit without its barber, if nobody knows that', () => {
    const text = receiptToText({
      ...bare,
      visits: [{ appointmentId: 'visit-1', amount: '45.00' }],
    });
    expect(text).toMatch(/^Visit visit-1 +45[.]00/m);
  });

  it('leaves out names of a later version', () => {
    const card = paid.card && { card: { ...paid.card, network: 'network_z' } };
    const later = { ...paid, ...card, cardholderVerification: 'face' };
    const tenders = [{ ...cash, kind: 'crypto' }];
    const text = receiptToText({ ...later, tenders });
    expect(text).not.toMatch(/undefined|network_z|face|Verified/);
    expect(text).toContain('Paid otherwise');
    expect(text).toMatch(/Card +\*4242/);
  });

  it('has 42 columns, in the time of the shop', () => {
    expect(receiptToText(paid)).toBe(`              Marlow & Sons
                 Old Town
------------------------------------------
Date                      2026-10-31 00:20
Barber                          Ada Marlow
------------------------------------------
Amount                           45.00 EUR
Tip                               5.00 EUR
Paid by card                     50.00 EUR
Refunded 2026-11-02 11:30       -10.00 EUR
Refund on its way 2026-11-03 11:30
                                 -5.00 EUR
Left after refunds               35.00 EUR
------------------------------------------
Card                            Visa *4242
Application                    VISA CREDIT
AID                         A0000000031010
Account                             credit
Authorization code                  123456
Response code                         3030
Cryptogram             TC 9F26A1B2C3D4E5F6
TVR                             0000008000
TSI                                   E800
Verified by          the customer's device
Payment     cpm_01jd3zk8q0e5v9h2m7x4r6t1bc
`);
  });

  it('leaves out what the processor does not give', () => {
    expect(receiptToText(bare)).toBe(`                  Marlow
------------------------------------------
Date                  2026-10-30 23:20 UTC
Barber                          Ada Marlow
------------------------------------------
Paid by card                     45.00 EUR
------------------------------------------
Payment                              cpm_1
`);
    expect(receiptToHtml(bare)).not.toMatch(/null|undefined|<dd><bdi><\/bdi>|<dl><\/dl>/);
  });

  it('is a page with the same lines, headed by the place if the shop has no name', () => {
    const html = receiptToHtml({ ...paid, shopName: ' ', barberName: 'Ada  &\n Ben' });
    expect(html).toContain('<h1>Old Town</h1>\n');
    expect(html).toContain('<div><dt>Tip</dt><dd><bdi>5.00 EUR</bdi></dd></div>');
    expect(html).toContain('<bdi>Ada &#38; Ben</bdi>');
    expect(receiptToHtml(paid)).toContain('<p>Old Town</p>');
  });

  it('breaks lines between words, and inside longer ones', () => {
    const [full, long] = ['exactly forty-two columns of a long name..', 'x'.repeat(43)];
    const text = receiptToText(
      { ...bare, shopName: `${full} and more`, locationName: `in ${long}`, barberName: long },
      { words: { barber: '' } },
    );
    expect(text.split('\n').map((line) => line.trimStart())).toEqual([
      full,
      'and more',
      'in',
      'x'.repeat(42),
      'x',
      '-'.repeat(42),
      'Date                  2026-10-30 23:20 UTC',
      'x'.repeat(42),
      'x',
      ...receiptToText(bare).split('\n').slice(4),
    ]);
  });

  it('speaks the language of the shop', () => {
    const text = receiptToText(paid, {
      words: { tip: 'Trinkgeld', paid: 'Mit Karte bezahlt', at: undefined },
    });
    expect(text).toMatch(/^Trinkgeld +5\.00 EUR$/m);
    expect(text).toMatch(/^Mit Karte bezahlt +50\.00 EUR$/m);
    expect(text).toMatch(/^Date /m);
  });

  it('shows what was paid in cash, and given back, beside the card', () => {
    const tenders = [cash, { ...cash, kind: 'other' }];
    const returns = [{ ...cash, amount: '5.00' }];
    expect(receiptToText({ ...paid, tenders, returns })).toContain(`
Cash 2026-10-31 00:20            20.00 EUR
Paid otherwise 2026-10-31 00:20  20.00 EUR
Cash given back 2026-10-31 00:20 -5.00 EUR
`);
  });

  it('subtracts cash for its failed refund from what is left, and none for another payment', () => {
    const contactlessPaymentId = bare.contactlessPaymentId;
    const returns = [
      { ...cash, contactlessPaymentId },
      { ...cash, amount: '5.00', contactlessPaymentId: 'cpm_2' },
    ];
    expect(receiptToText({ ...bare, returns })).toContain(`
Paid by card                     45.00 EUR
Cash given back 2026-10-30 23:20
                                -20.00 EUR
Left after refunds               25.00 EUR
------------------------------------------
Cash given back 2026-10-30 23:20 -5.00 EUR
`);
  });

  it('prints a tender in its own currency', () => {
    const tenders = [{ ...cash, currency: 'chf' }];
    const returns = [{ ...cash, amount: '5.00', currency: 'chf' }];
    const text = receiptToText({ ...paid, tenders, returns });
    expect(text).toMatch(/^Cash 2026-10-31 00:20 +20\.00 CHF$/m);
    expect(text).toMatch(/^Cash given back 2026-10-31 00:20 +-5\.00 CHF$/m);
  });

  it('counts wide characters as two columns', () => {
    const lines = receiptToText({ ...bare, shopName: '理髪店'.repeat(10) }).split('\n');
    expect(lines.slice(0, 2)).toEqual([
      '理髪店'.repeat(7),
      `${' '.repeat(12)}${'理髪店'.repeat(3)}`,
    ]);
  });
});

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onload='x",
    '\u202eevil\u2066',
    'a\r\n\u001b[2Jb',
    'e\u0301'.repeat(200),
    '髪'.repeat(300),
    '&amp;',
  ),
);
const anyReceipt = fc.record(
  {
    shopName: hostile,
    locationName: hostile,
    barberName: hostile,
    applicationPreferredName: hostile,
    applicationIdentifier: hostile,
    accountType: hostile,
    authorizationCode: hostile,
    applicationCryptogram: hostile,
    timeZone: fc.oneof(fc.constant('Asia/Tokyo'), fc.string()),
  },
  { requiredKeys: ['shopName', 'locationName', 'barberName'] },
);

/** The columns of a line: none for marks that combine, two for East Asian characters and emoji. */
function columnsOf(line: string): number {
  const drawn = line.replaceAll(/\p{M}/gu, '');
  const wide = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/gu;
  return [...drawn].length + (drawn.match(wide)?.length ?? 0);
}

describe('with any text in it', () => {
  it('no line of the printed receipt is longer than 42 columns, or moves the head', () => {
    fc.assert(
      fc.property(anyReceipt, (odd) => {
        const text = receiptToText({ ...bare, ...odd });
        for (const line of text.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(42);
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('no function is called that React Native lacks', () => {
    const isLacking = vi.spyOn(String.prototype, 'toWellFormed');
    const printed = receiptToText({ ...bare, shopName: 'A\ud83d B\udc88 💈' });
    expect(isLacking).not.toHaveBeenCalled();
    isLacking.mockRestore();
    expect(printed).toContain('A\ufffd B\ufffd 💈');
  });

  it('the page has no element but its own', () => {
    const tagsOf = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.toLowerCase()) ?? [];
    const own = new Set([...tagsOf(receiptToHtml(paid)), ...tagsOf(receiptToHtml(bare))]);
    fc.assert(
      fc.property(anyReceipt, (odd) => {
        const html = receiptToHtml({ ...bare, ...odd });
        expect(tagsOf(html).filter((tag) => !own.has(tag))).toEqual([]);
        expect(html).not.toMatch(/\p{Cf}/u);
      }),
    );
  });
});
