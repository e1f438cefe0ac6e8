import { isObject } from './parse.ts';

/** One request, before it has a token. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body: string | undefined;
}

/** The base of the paths, which begin with a slash. */
export const withoutSlash = (baseUrl: string) => baseUrl.replace(/\/+$/, '');

/**
 * `undefined` for an id or a body that cannot be sent, such as half of a surrogate pair.
 * @param newKey makes the key if the input has none.
 */
export function outgoing(
  route: string,
  input: unknown,
  newKey?: () => string,
): Outgoing | undefined {
  const given = isObject(input) ? input : {};
  const { body, query, idempotencyKey } = given;
  const [method = '', template = ''] = route.split(' ');
  const asText = (value: unknown) => encodeURIComponent(String(value));
  try {
    const path = template.replace(/{(\w+)}/g, (_, name: string) => asText(given[name]));
    // With an id such as `..`, the request would go to another path.
    if (/\/\.{0,2}(\/|$)/.test(path)) return undefined;
    const parameters = Object.entries(isObject(query) ? query : {})
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${asText(value)}`);
    const key = idempotencyKey ?? newKey?.();
    return {
      method,
      path: [path, ...parameters].join('?'),
      key: key === undefined ? undefined : String(key),
      body: body === undefined ? undefined : JSON.stringify(body),
    };
  } catch {
    return undefined;
  }
}
