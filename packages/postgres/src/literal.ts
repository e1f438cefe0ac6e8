/** A text as an SQL literal that is valid with and without `standard_conforming_strings`. */
export function literal(text: string): string {
  return `E'${text.replace(/[\\']/g, '$&$&')}'`;
}

/** JSON in ASCII, which is the same in every session encoding. */
export function asciiJson(json: string): string {
  return json.replace(/[^ -~]/g, escaped);
}

/** JSON as a literal. Dollar quotes need no escapes but that of the dollar, which stands only in texts. */
export function jsonLiteral(json: string): string {
  return `$json$${json.replace(/[^ -#%-~]/g, escaped)}$json$`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
