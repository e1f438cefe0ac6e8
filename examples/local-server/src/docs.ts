import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildOpenApi, type ChairsideHandler, optionalGroups, routes } from '@chairside/h3';
import type { Config } from './config.ts';
import { people } from './demo-data.ts';
import { forViewer } from './for-viewer.ts';
import { withSamples } from './samples.ts';
import { assetOf, serveAsset } from './till/asset.ts';

const require = createRequire(import.meta.url);

const folder = join(import.meta.dirname, '../reference');

/** The page loads from this server alone. RapiDoc styles its elements in the document (D128). */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Adds the OpenAPI document, and an API reference made of it that works without a network. */
export function addDocs(
  app: ChairsideHandler,
  baseUrl: string,
  {
    takesTips,
    chargesCards,
    takesTenders,
    sharesPayments: shares,
  }: Pick<Config, 'takesTips' | 'chargesCards' | 'takesTenders' | 'sharesPayments'>,
): void {
  // Relative to the page's origin, because the policy allows no other name.
  const serverUrl = new URL(baseUrl).pathname;
  const options = { serverUrl, tips: takesTips, shares };
  const { refunds, receipts, charges, tenders, shares: sharing } = optionalGroups;
  const groups = {
    receipts,
    refunds,
    ...(chargesCards && { charges }),
    ...(takesTenders && { tenders }),
    ...(shares && { shares: sharing }),
  };
  const plain = JSON.stringify(buildOpenApi(options));
  const ofGroups = Object.entries(groups).map(([name, group]) => ({
    path: `/openapi-${name}.json`,
    json: JSON.stringify(buildOpenApi({ ...options, ...group })),
  }));
  const served = [...routes, ...Object.values(groups).flatMap((group) => group.routes)];
  const document = buildOpenApi({ ...options, routes: served });
  const sampled = assetOf(
    'openapi.json',
    'application/json',
    Buffer.from(JSON.stringify(forViewer(withSamples(document, served, serverUrl)))),
  );
  const viewer = assetOf(
    'rapidoc.js',
    'text/javascript',
    readFileSync(require.resolve('rapidoc/dist/rapidoc-min.js')),
  );
  const script = assetOf('start.js', 'text/javascript', readFileSync(join(folder, 'start.js')));
  const style = assetOf('reference.css', 'text/css', readFileSync(join(folder, 'style.css')));

  /** @param root where `/docs` stands, from the address that the page was opened under. */
  const page = (root: '' | '../') => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="description" content="Each operation of Chairside's HTTP interface, with samples and a form to try it.">
    <title>API reference · Chairside</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${root}docs/${style.name}">
  </head>
  <body>
    <header>
      <h1>API reference</h1>
      <a href="${root}./">Till</a>
      <label>Search <input type="search" placeholder="capture" autocomplete="off"></label>
    </header>
    <rapi-doc spec-url="${root}docs/${sampled.name}" data-token="${people.barber.token}" render-style="focused" show-header="false"
      load-fonts="false" allow-spec-url-load="false" allow-spec-file-load="false"
      allow-server-selection="false" persist-auth="true" show-method-in-nav-bar="as-colored-text"
      schema-description-expanded="true" nav-bg-color="#16181b" nav-text-color="#d4d6da" regular-font="system-ui"></rapi-doc>
    <script src="${root}docs/${viewer.name}"></script>
    <script src="${root}docs/${script.name}"></script>
  </body>
</html>
`;

  for (const method of ['GET', 'HEAD'] as const) {
    app.on(method, '/openapi.json', () => answer('application/json', plain));
    for (const { path, json } of ofGroups) {
      app.on(method, path, () => answer('application/json', json));
    }
    // The router serves `/docs/` as `/docs`, so links depend on the path of the request.
    app.on(method, '/docs', ({ url }) =>
      answer('text/html; charset=utf-8', page(url.pathname.endsWith('/') ? '../' : '')),
    );
  }
  for (const asset of [viewer, script, style, sampled]) {
    app.get(`/docs/${asset.name}`, ({ req }) => serveAsset(asset, req, contentSecurityPolicy));
  }
}

function answer(type: string, body: string): Response {
  return new Response(body, {
    headers: {
      'content-type': type,
      'cache-control': 'no-cache',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  });
}
