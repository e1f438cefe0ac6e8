import { formatMoney } from '../values/money.ts';
import { localTimes, parseTimestamp } from '../values/time.ts';
import type { Receipt } from './wire.ts';

// Receipts to print or send. They are no invoices, and know no tax.

const english = {
  at: 'Date',
  barber: 'Barber',
  visit: 'Visit',
  service: 'Amount',
  tip: 'Tip',
  paid: 'Paid by card',
  refunded: 'Refunded',
  refundPending: 'Refund on its way',
  kept: 'Left after refunds',
  cash: 'Cash',
  voucher: 'Voucher',
  bankTransfer: 'Bank transfer',
  otherTender: 'Paid otherwise',
  givenBack: 'given back',
  card: 'Card',
  application: 'Application',
  applicationIdentifier: 'AID',
  accountType: 'Account',
  authorizationCode: 'Authorization code',
  authorizationResponseCode: 'Response code',
  cryptogram: 'Cryptogram',
  terminalVerificationResults: 'TVR',
  transactionStatusInformation: 'TSI',
  verification: 'Verified by',
  none: 'no verification',
  signature: 'signature',
  pin: 'PIN',
  device: "the customer's device",
  other: 'other means',
  network_a: 'Visa',
  network_b: 'Mastercard',
  network_c: 'American Express',
  network_d: 'Discover',
  payment: 'Payment',
};

/** The words of a receipt, in the language of the shop. Those that are left out are English. */
export type ReceiptWords = { readonly [Word in keyof typeof english]?: string | undefined };

/** Data of the service, or as a client reads it: with names that a later version may have. */
export type Printable<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Printable<Item>[]
    : T extends object
      ? { readonly [Member in keyof T]: Printable<T[Member]> }
      : T;

/** How a receipt is printed. */
export interface ReceiptOptions {
  /** Default: English. */
  readonly words?: ReceiptWords | undefined;
}

type Line = readonly [label: string, value: string | undefined];

/** The groups of a receipt below its heading that have lines, each with those that have a value. */
function linesOf(
  receipt: Printable<Receipt>,
  { words: given = {} }: ReceiptOptions,
): readonly (readonly [string, string][])[] {
  const words = { ...english };
  for (const [word, text] of Object.entries(given)) {
    if (text !== undefined) Object.assign(words, { [word]: text });
  }
  const { amount, tip, currency, refunds, card, timeZone = 'UTC' } = receipt;
  const local = localTimes(timeZone);
  const timeOf = (text: string) => local(parseTimestamp(text) ?? 0).slice(0, 16);
  const money = (minor: bigint, of = currency) => `${formatMoney(minor)} ${of.toUpperCase()}`;
  const paidMinor = minorOf(amount);
  const tipMinor = tip === undefined ? 0n : minorOf(tip);
  const known = new Map<string, string>(Object.entries(words));
  const { network: name = 'other' } = card ?? {};
  const network = (name !== 'other' && known.get(name)) || '';
  const cryptogram = [receipt.applicationCryptogramType, receipt.applicationCryptogram];
  const { cardholderVerification: verification } = receipt;
  const named = (kind: string) => known.get(kind === 'other' ? '' : kind) ?? words.otherTender;
  const { tenders = [], returns = [], contactlessPaymentId: id } = receipt;
  const cash = returns.filter((one) => one.contactlessPaymentId === id);
  const back = [...refunds, ...cash];
  const backMinor = back.reduce((sum, one) => sum + minorOf(one.amount), 0n);
  const givenBack = (one: (typeof returns)[number]): Line => [
    `${named(one.kind)} ${words.givenBack} ${timeOf(one.createdAt)}`,
    money(-minorOf(one.amount), one.currency),
  ];
  const groups: readonly (readonly Line[])[] = [
    [
      [words.at, `${timeOf(receipt.capturedAt)}${receipt.timeZone === undefined ? ' UTC' : ''}`],
      [words.barber, receipt.barberName],
    ],
    (receipt.visits ?? []).map(
      (one): Line => [
        `${words.visit} ${one.appointmentId}${one.barberName === undefined ? '' : `, ${one.barberName}`}`,
        money(minorOf(one.amount)),
      ],
    ),
    [
      ...(tipMinor > 0n
        ? ([
            [words.service, money(paidMinor - tipMinor)],
            [words.tip, money(tipMinor)],
          ] as const)
        : []),
      [words.paid, money(paidMinor)],
      ...refunds.map(
        (one): Line => [
          `${one.state === 'pending' ? words.refundPending : words.refunded} ${timeOf(one.createdAt)}`,
          money(-minorOf(one.amount)),
        ],
      ),
      ...cash.map(givenBack),
      [words.kept, back.length > 0 ? money(paidMinor - backMinor) : undefined],
    ],
    [
      ...tenders.map(
        (one): Line => [
          `${named(one.kind)} ${timeOf(one.createdAt)}`,
          money(minorOf(one.amount), one.currency),
        ],
      ),
      ...returns.filter((one) => !cash.includes(one)).map(givenBack),
    ],
    [
      [words.card, `${network} ${card?.maskedPersonalAccountNumber ?? ''}`],
      [words.application, receipt.applicationPreferredName],
      [words.applicationIdentifier, receipt.applicationIdentifier],
      [words.accountType, receipt.accountType],
      [words.authorizationCode, receipt.authorizationCode],
      [words.authorizationResponseCode, receipt.authorizationResponseCode],
      [words.cryptogram, cryptogram.join(' ')],
      [words.terminalVerificationResults, receipt.terminalVerificationResults],
      [words.transactionStatusInformation, receipt.transactionStatusInformation],
      [words.verification, verification && known.get(verification)],
      [words.payment, receipt.contactlessPaymentId],
    ],
  ];
  const printed = groups.map((group) =>
    group.flatMap(([label, value]): [string, string][] => {
      const text = printable(value ?? '');
      return text === '' ? [] : [[printable(label), text]];
    }),
  );
  return printed.filter((group) => group.length > 0);
}

/** Shop and place; a shop with one place often has one name for both. */
function headingOf({ shopName, locationName }: Printable<Receipt>): readonly string[] {
  return [...new Set([shopName, locationName].map(printable))].filter((text) => text !== '');
}

function minorOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

/** Without characters that move the printer's head, hide text or turn its direction. */
function printable(text: string): string {
  // The first line is `toWellFormed`, which React Native lacked up to 0.83.
  return text
    .replaceAll(/[\ud800-\udfff]/gu, '\ufffd')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
}

/** The columns of a printer of 80 mm, in its usual font. */
const columns = 42;

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
const narrow = /\p{M}/u;

function widthOf(text: string): number {
  let width = 0;
  for (const one of text) width += narrow.test(one) ? 0 : wide.test(one) ? 2 : 1;
  return width;
}

/** Breaks a text into lines, between words where it can. */
function wrap(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const one of word) {
      if (widthOf(line + one) > columns) {
        lines.push(line);
        line = '';
      }
      line += one;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/**
 * Writes a receipt in lines of 42 columns, for a printer of 80 mm. Wide characters count as two columns.
 *
 * @example
 * const receipt = await chairside.getReceipt(barber, { contactlessPaymentId: opened.id });
 * const lines = receipt.map((found) => receiptToText(found, { words: { tip: 'Trinkgeld' } }).split('\n'));
 */
export function receiptToText(receipt: Printable<Receipt>, options: ReceiptOptions = {}): string {
  const centered = (text: string) => `${' '.repeat((columns - widthOf(text)) >> 1)}${text}`;
  const pair = ([label, value]: readonly [string, string]): readonly string[] => {
    const left = columns - widthOf(label) - widthOf(value);
    return left > 0
      ? [`${label}${' '.repeat(left)}${value}`]
      : [
          ...wrap(label),
          ...wrap(value).map((line) => line.padStart(line.length + columns - widthOf(line))),
        ];
  };
  const groups = linesOf(receipt, options);
  const heading = headingOf(receipt).flatMap(wrap).map(centered);
  const rule = '-'.repeat(columns);
  return [...heading, ...groups.flatMap((group) => [rule, ...group.flatMap(pair)]), ''].join('\n');
}

/**
 * Writes a receipt as one page of HTML, without a script and with every text escaped. It prints on A4 and on
 * rolls of 80 mm.
 *
 * @example
 * const receipt = await chairside.getReceipt(barber, { contactlessPaymentId: opened.id });
 * if (receipt.isOk()) await send(customer, receiptToHtml(receipt.value));
 */
export function receiptToHtml(receipt: Printable<Receipt>, options: ReceiptOptions = {}): string {
  const [shop = '', ...places] = headingOf(receipt).map(escapeHtml);
  const groups = linesOf(receipt, options).map(
    (group) =>
      `<dl>${group.map(([label, value]) => `<div><dt>${escapeHtml(label)}</dt><dd><bdi>${escapeHtml(value)}</bdi></dd></div>`).join('')}</dl>`,
  );
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${shop}</title><style>${style}</style></head>
<body><h1>${shop}</h1>${places.map((place) => `<p>${place}</p>`).join('')}
${groups.join('\n')}
</body></html>
`;
}

const style = `
:root{color-scheme:light}
body{box-sizing:border-box;width:100%;max-width:72mm;margin:0 auto;padding:4mm 0;font:10pt/1.4 system-ui,sans-serif;color:#000;background:#fff}
h1{font-size:13pt;text-align:center;margin:0;overflow-wrap:anywhere}
p{text-align:center;margin:0;overflow-wrap:anywhere}
dl{margin:3mm 0 0;padding:3mm 0 0;border-top:1px dashed #000}
dl>div{display:flex;flex-wrap:wrap;justify-content:space-between;column-gap:4mm;break-inside:avoid}
dt,dd{margin:0;overflow-wrap:anywhere;min-width:0}
dd{margin-left:auto;text-align:right;font-variant-numeric:tabular-nums}
@page{margin:4mm}
`.trim();

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}
