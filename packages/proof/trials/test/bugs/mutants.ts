import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { createChairside } from '@chairside/core';
import type { chairsideHandler } from '@chairside/h3';
import type { createStripeProcessor } from '@chairside/stripe';
import type { Harness } from '@chairside/trials';
import { mapHarness, overHttp, overStripe } from '../ours/harness.ts';
import { coreSources, edited, stripeSources, urlOf } from './edit.ts';
import type { Planted } from './planted-bug.ts';

/** The HTTP handler belongs to one core: it is loaded again beside each. */
const handler = import.meta.resolve('@chairside/h3');
const handlerSources = new URL('./', handler).href;

/** The mark in the URLs of a mutant's modules. */
const mark = /[?&]bug=([^&]+)/;

let bugs = new Map<string, Planted>();
let isHooked = false;

/**
 * A world whose core has a bug, planted into its sources as they are read. Nothing in what ships knows
 * of it, and the real core stays loaded beside it, unchanged.
 */
export async function plant(bug: Planted): Promise<Harness> {
  for (const edit of bug.edits) edited(readFileSync(new URL(urlOf(edit)), 'utf8'), edit);
  bugs = new Map(bugs).set(bug.name, bug);
  if (!isHooked) hook();
  isHooked = true;
  if (bug.edits.some(({ file }) => file.startsWith('stripe/'))) {
    const stripe: Stripe = await import(`${stripeSources}index.ts?bug=${bug.name}`);
    return overStripe({ create: stripe.createStripeProcessor });
  }
  const core: Core = await import(`${coreSources}chairside.ts?bug=${bug.name}`);
  const http: Http = await import(`${handler}?bug=${bug.name}`);
  const { createChairside } = core;
  return { ...mapHarness, createChairside, serveHttp: overHttp(http.chairsideHandler) };
}

type Core = { readonly createChairside: typeof createChairside };
type Stripe = { readonly createStripeProcessor: typeof createStripeProcessor };
type Http = { readonly chairsideHandler: typeof chairsideHandler };

function hook(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const name = mark.exec(specifier)?.[1] ?? mark.exec(context.parentURL ?? '')?.[1];
      const isOurs = [coreSources, stripeSources, handlerSources].some((all) =>
        resolved.url.startsWith(all),
      );
      return name !== undefined && isOurs && !mark.test(resolved.url)
        ? { ...resolved, url: `${resolved.url}?bug=${name}` }
        : resolved;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const edits = bugs.get(mark.exec(url)?.[1] ?? '')?.edits ?? [];
      const own = edits.filter((edit) => url.startsWith(`${urlOf(edit)}?`));
      return own.length === 0
        ? loaded
        : { ...loaded, source: own.reduce(edited, String(loaded.source)) };
    },
  });
}
