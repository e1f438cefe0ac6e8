import type { Step } from './runs.ts';
import { baseUrl } from './server.ts';

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The request as a command, to be pasted into a shell. */
export function curlOf({ request }: Step): string {
  if (request === undefined) return '';
  const { method, path, key, body } = request;
  const parts = [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    quoted(baseUrl + path),
    `-H ${quoted(`Authorization: Bearer ${/\/(refunds|shares)$/.test(path) ? 'demo-business' : 'demo-barber'}`)}`,
    ...(key === undefined ? [] : [`-H ${quoted(`Idempotency-Key: ${key}`)}`]),
    ...(body === undefined
      ? []
      : [`-H ${quoted('Content-Type: application/json')}`, `-d ${quoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}
