/** A decoded form: text, or more of it under names. */
export interface Form {
  readonly [name: string]: string | Form;
}

/** Reads `metadata[a]=1&expand[0]=b`, as the SDK writes it. */
export function decodeForm(text: string): Form {
  const root: MutableForm = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [...name.matchAll(/[^[\]]+/g)].map(([part]) => part);
    const last = path.pop();
    if (last === undefined) continue;
    const parent = path.reduce<MutableForm>((form, part) => {
      const inner = form[part];
      if (typeof inner === 'object') return inner;
      const made: MutableForm = {};
      form[part] = made;
      return made;
    }, root);
    parent[last] = value;
  }
  return root;
}

interface MutableForm {
  [name: string]: string | MutableForm;
}
