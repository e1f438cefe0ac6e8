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

/** `undefined` for an id or a body that cannot be sent, such as half of a surrogate pair. */
export function outgoing(route: string, input: unknown): Outgoing | undefined {
  const given = isObject(input) ? input : {};
  const { body, query, idempotencyKey } = given;
  const [method = '', template = ''] = route.split(' ');
  const asText = (value: unknown) => encodeURIComponent(String(value));
  try {
    const path = template.replace(/{(\w+)}/g, (_, name: string) => asText(given[name]));
    const parameters = Object.entries(isObject(query) ? query : {})
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${asText(value)}`);
    return {
      method,
      path: [path, ...parameters].join('?'),
      key: idempotencyKey === undefined ? undefined : String(idempotencyKey),
      body: body === undefined ? undefined : JSON.stringify(body),
    };
  } catch {
    return undefined;
  }
}
