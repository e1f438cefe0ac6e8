/** A text as an SQL literal that is valid with and without `standard_conforming_strings`. */
export function literal(text: string): string {
  return `E'${text.replace(/[\\']/g, '$&$&')}'`;
}

/** JSON in ASCII, which is the same in every session encoding. */
function ascii(json: string): string {
  return json.replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** JSON texts as the literal of an array. */
export function literalArray(jobs: readonly { readonly text: string }[]): string {
  return literal(ascii(`[${jobs.map(({ text }) => text).join()}]`));
}
