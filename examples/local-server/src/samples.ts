import type { OpenApiDocument, Route } from '@chairside/h3';

/** The document with a sample of each operation in curl and in `@chairside/client`. */
export function withSamples(
  document: OpenApiDocument,
  routes: readonly Route[],
  root: string,
): object {
  const paths = structuredClone(document.paths);
  for (const route of routes) {
    const methods: Record<string, object> = paths[route.path] ?? {};
    const operation = methods[route.method.toLowerCase()];
    if (operation === undefined) continue;
    Object.assign(operation, {
      'x-code-samples': [
        { lang: 'shell', label: 'curl', source: curlOf(route, root) },
        { lang: 'typescript', label: '@chairside/client', source: clientCallOf(route) },
      ],
    });
  }
  return { ...document, paths };
}

const bodies: Readonly<Record<string, string>> = {
  createContactlessPayment: '{"amount":"45.00"}',
  captureContactlessPayment:
    '{"externalPaymentReference":{"id":"fpi_1","paymentProcessor":"processor_a"}}',
  registerTerminal:
    '{"platform":"ios","deviceIdentifier":"phone of Ada","deviceModel":"iPhone14,5"}',
  preparePaymentMethod: '{"savePaymentMethod":true}',
  refundPayment: '{"amount":"10.00"}',
};

const named = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name}`);

function curlOf({ operation, method, path, query, idempotencyKey }: Route, root: string): string {
  const body = bodies[operation];
  const search = query === undefined ? '' : '?emailAddress=kim%40example.com';
  return [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `"$URL${root.replace(/\/$/, '')}${named(path)}${search}"`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(idempotencyKey === undefined ? [] : ['-H "Idempotency-Key: $(uuidgen)"']),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${body}'`]),
  ].join(' \\\n  ');
}

function clientCallOf({ operation, group, path, pathId, query, idempotencyKey }: Route): string {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    return name === 'id' ? (pathId ?? name) : name;
  });
  const members = [
    ...ids,
    ...(idempotencyKey === undefined ? [] : ['idempotencyKey']),
    ...(bodies[operation] === undefined ? [] : [`body: ${asTypeScript(bodies[operation])}`]),
    ...(query === undefined ? [] : ["query: { emailAddress: 'kim@example.com' }"]),
  ];
  const input = members.length === 0 ? '' : `{ ${members.join(', ')} }`;
  // The clients of refunds and receipts are other entries of the package.
  const client = group === 'Refunds' || group === 'Receipts' ? group.toLowerCase() : 'client';
  return `const result = await ${client}.${operation}(${input});
result.match(
  (value) => console.log(value),
  (problem) => console.log(problem.type, problem.recovery),
);`;
}

const asTypeScript = (json: string) =>
  json
    .replaceAll(/"(\w+)":/g, '$1: ')
    .replaceAll('"', "'")
    .replaceAll(',', ', ')
    .replaceAll(/([{}])/g, ' $1 ')
    .trim();
