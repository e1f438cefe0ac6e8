// Writes a page of all operations, the opt-in ones too, into `http` of the site, with the local server's viewer.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildOpenApi, optionalGroups, routes } from '@chairside/h3';
import { forViewer } from '../examples/local-server/src/for-viewer.ts';

const [site = 'coverage/site'] = process.argv.slice(2);
const folder = join(site, 'http');
const server = join(import.meta.dirname, '../examples/local-server');
const rapidoc = createRequire(join(server, 'package.json')).resolve('rapidoc/dist/rapidoc-min.js');

const document = buildOpenApi({
  serverUrl: 'https://shop.example',
  routes: [...routes, ...Object.values(optionalGroups).flatMap((group) => group.routes)],
  tips: true,
  shares: true,
});
const style = readFileSync(join(server, 'reference/style.css'), 'utf8');

mkdirSync(folder, { recursive: true });
copyFileSync(rapidoc, join(folder, 'rapidoc.js'));
copyFileSync(join(server, 'reference/start.js'), join(folder, 'start.js'));
writeFileSync(join(folder, 'openapi.json'), JSON.stringify(forViewer(document)));
writeFileSync(
  join(folder, 'index.html'),
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>HTTP · Chairside</title>
    <link rel="icon" href="data:,">
    <style>${style}</style>
  </head>
  <body>
    <header>
      <h1>HTTP</h1>
      <a href="../">All pages</a>
      <label>Search <input type="search" placeholder="capture" autocomplete="off"></label>
    </header>
    <rapi-doc spec-url="openapi.json" render-style="focused" show-header="false" load-fonts="false"
      allow-try="false" allow-authentication="false" allow-server-selection="false"
      allow-spec-url-load="false" allow-spec-file-load="false" show-method-in-nav-bar="as-colored-text"
      schema-description-expanded="true" nav-bg-color="#16181b" nav-text-color="#d4d6da" regular-font="system-ui"></rapi-doc>
    <script src="rapidoc.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`,
);
