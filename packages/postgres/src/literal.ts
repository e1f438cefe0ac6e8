/**
 * A text as a literal of SQL, with marks that mean the same whether the session has
 * `standard_conforming_strings` or not.
 */
export function literal(text: string): string {
  return `E'${text.replace(/[\\']/g, '$&$&')}'`;
}

/** JSON in ASCII, which means the same whatever encoding the session has. */
export function ascii(json: string): string {
  return json.replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Texts of JSON as the literal of an array. */
export function literalArray(jobs: readonly { readonly text: string }[]): string {
  return literal(ascii(`[${jobs.map(({ text }) => text).join()}]`));
}
