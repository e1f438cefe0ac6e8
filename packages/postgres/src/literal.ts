/** A text as an SQL literal that is valid with and without `standard_conforming_strings`. */
export function literal(text: string): string {
  return `E'${text.replace(/[\\']/g, '$&$&')}'`;
}

/**
 * JSON as a literal: in ASCII, which is the same in every session encoding. Dollar quotes need no
 * escapes in JSON but that of the dollar, which stands only in its texts.
 */
export function jsonLiteral(json: string): string {
  const ascii = json.replace(
    /[^ -#%-~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `$json$${ascii}$json$`;
}
