// A record as one text, for a store that keeps documents. JSON has no bigint, so a marked text stands
// for one. A text that begins with a mark gets another in front.
const bigintMark = 'n:';
const textMark = 's:';

export function toDocument(record: object): string {
  return JSON.stringify(record, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${bigintMark}${value}`;
    return typeof value === 'string' && /^[ns]:/.test(value) ? `${textMark}${value}` : value;
  });
}

/** Throws for a text that `toDocument` has not written. */
export function fromDocument<T extends object>(text: string): T {
  const record: T = JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (value.startsWith(bigintMark)) return BigInt(value.slice(bigintMark.length));
    return value.startsWith(textMark) ? value.slice(textMark.length) : value;
  });
  return record;
}
