/** Length in code points, as JSON Schema counts it (D12); `length` would count UTF-16 units. */
export function codePointLength(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * Whether it has more than `max` code points. Each is one or two units, so short texts need no
 * count.
 */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && codePointLength(text) > max;
}

/**
 * False for text that some store cannot keep: U+0000 (PostgreSQL rejects it) or an unpaired
 * surrogate (it has no UTF-8 form). The use cases reject it for every store alike.
 */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Replaces characters that cannot be stored by U+FFFD. */
export function toStorable(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule D1 states is about them
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

// Control and format characters, halves of surrogate pairs, and line ends.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a log or a screen can show it: no character in it forges a line or reverses the text. */
export function isShowable(text: string): boolean {
  return !invisible.test(text);
}

/** Whether a path id is valid (D1). Invalid ones are not found. */
export function canBeId(id: string): boolean {
  if (typeof id !== 'string' || id.length === 0) return false;
  return !isLonger(id, 255) && !controlCharacter.test(id) && isStorable(id);
}

/** The first `max` code points; surrogate pairs stay whole. */
export function clip(text: string, max: number): string {
  return isLonger(text, max) ? [...text].slice(0, max).join('') : text;
}
