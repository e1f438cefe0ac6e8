import type { Assets } from './assets.ts';

/** Nothing on the page may come from, or go to, anywhere else. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Frame {
  readonly title: string;
  readonly description: string;
  readonly assets: Assets;
  /** From the page's own address to that of the server. */
  readonly root: '' | '../';
  readonly head?: string;
}

const frame = (
  { title, description, assets, root, head = '' }: Frame,
  body: string,
) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="description" content="${description}">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${root}till/${assets.style.name}">${head}
  </head>
  <body>${body}</body>
</html>
`;

/** The till; its script draws what is on it. */
export const tillPage = (assets: Assets) =>
  frame(
    {
      title: 'Chairside till',
      description: 'Take a payment, break something, and see the customer charged once.',
      assets,
      root: '',
      head: `\n    <script type="module" src="till/${assets.script.name}"></script>`,
    },
    '<main id="till"><noscript>This page needs JavaScript.</noscript></main>',
  );

/** A page to read; `body` is HTML. */
export const textPage = (title: string, assets: Assets, root: '' | '../', body: string) =>
  frame(
    {
      title: `${title} · Chairside`,
      description: `${title}, as Chairside explains it.`,
      assets,
      root,
    },
    `<main class="plain"><nav aria-label="More"><a href="${root}./">Till</a> <a href="${root}docs">API reference</a></nav>${body}</main>`,
  );

/** In place of the till where a real processor takes the payments. */
export const aboutStripe = `
  <h1>Chairside</h1>
  <p>This server takes payments with Stripe, so the till is off: cards are held to Stripe's readers, and its books are in
    Stripe's Dashboard. Faults are played on the simulated processor alone.</p>
  <p>Start the server without <code>STRIPE_SECRET_KEY</code> to see the till.</p>`;
