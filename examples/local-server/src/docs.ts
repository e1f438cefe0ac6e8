import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { buildOpenApi, type ChairsideHandler } from '@chairside/h3';

const require = createRequire(import.meta.url);
const assets = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' } as const;

/** @param root the path to the folder of `/docs`, relative to the page's address. */
const page = (root: '' | '../') => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Chairside</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${root}docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="${root}docs/swagger-ui-bundle.js"></script>
    <script src="${root}docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({
  url: new URL('../openapi.json', document.currentScript.src).href,
  domNode: document.getElementById('reference'),
  validatorUrl: null, // nobody else is asked whether the document is valid
  persistAuthorization: true,
});
`;

/** The page may load from and send to its own origin only. The reference styles its elements. */
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

/** Adds the OpenAPI document, and an API reference for it that works without a network. */
export function addDocs(app: ChairsideHandler, baseUrl: string): void {
  // Relative to the page's origin, because the policy allows no other name.
  const serverUrl = new URL(baseUrl).pathname;
  const document = JSON.stringify(buildOpenApi({ serverUrl }));

  for (const method of ['GET', 'HEAD'] as const) {
    app.on(method, '/openapi.json', () => answer('application/json', document));
    // The router also serves `/docs/`, where relative links need another root.
    app.on(method, '/docs', ({ url }) =>
      answer('text/html; charset=utf-8', page(url.pathname.endsWith('/') ? '../' : '')),
    );
  }
  app.get('/docs/start.js', () => answer('text/javascript', start));
  for (const [name, type] of Object.entries(assets)) {
    const path = require.resolve(`swagger-ui-dist/${name}`);
    app.get(`/docs/${name}`, () => answer(type, Readable.toWeb(createReadStream(path))));
  }
}

function answer(type: string, body: BodyInit): Response {
  return new Response(body, {
    headers: {
      'content-type': type,
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  });
}
