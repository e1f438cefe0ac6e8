/** A decoded form: text, or further forms by name. */
export interface Form {
  readonly [name: string]: string | Form;
}

/** A request from the wire. */
export interface RawRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** The outcome of a request: a reply as text, or none. */
export type Outcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
    }
  | { readonly kind: 'timeout' | 'reset' | 'refused' };

/** Parses `metadata[a]=1&expand[0]=b`, the SDK's format. */
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
