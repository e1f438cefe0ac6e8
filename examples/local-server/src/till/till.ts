import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Chairside, receiptToHtml } from '@chairside/core';
import { fault, moneySchema, type Store } from '@chairside/core/ports';
import type { FakeProcessor } from '@chairside/fake-processor';
import type { ChairsideHandler } from '@chairside/h3';
import type { EventHandler } from 'h3';
import * as v from 'valibot';
import { eventPlans } from '../config.ts';
import { shopBarbers } from '../demo-data.ts';
import { readJson } from '../read-json.ts';
import { serveAsset } from './asset.ts';
import { type Assets, bundleAssets } from './assets.ts';
import { createBooks, desk } from './books.ts';
import { addDay } from './day.ts';
import { type Faults, killPoints, processorFaults } from './faults.ts';
import { toHtml } from './markdown.ts';
import { aboutStripe, contentSecurityPolicy, textPage, tillPage } from './page.ts';
import { isProblemType, problemPage } from './problem-page.ts';
import { streamOf } from './stream.ts';
import type { Timeline } from './timeline.ts';

export interface Till {
  readonly chairside: Chairside;
  readonly store: Store;
  /** Absent where the processor is a real one: then the page says so. */
  readonly simulated: { readonly fake: FakeProcessor; readonly faults: Faults } | undefined;
  readonly timeline: Timeline;
  /** Whether the phone asks for a tip before the card. */
  readonly takesTips: boolean;
  /** Whether cash is recorded as a tender; else it lowers what is due. */
  readonly takesTenders: boolean;
  /** Whether the phone can pay for two visits, share a payment and move it. */
  readonly sharesPayments: boolean;
}

const orderSchema = v.variant('do', [
  v.strictObject({ do: v.literal('loseAnswer') }),
  v.strictObject({ do: v.literal('processor'), fault: v.picklist(processorFaults) }),
  v.strictObject({ do: v.literal('kill'), at: v.picklist(killPoints) }),
  v.strictObject({ do: v.literal('messages'), plan: v.picklist(eventPlans) }),
  v.strictObject({ do: v.literal('cash'), appointmentId: v.string(), amount: moneySchema }),
  v.strictObject({ do: v.literal('disarm') }),
]);
export type Order = v.InferOutput<typeof orderSchema>;

/**
 * Adds the page for people, and what it needs. Like `/demo` it needs no token, and it can kill the
 * server: it is for this machine alone.
 */
export function addTill(app: ChairsideHandler, till: Till): void {
  const { chairside, store, simulated, timeline, takesTips, takesTenders, sharesPayments } = till;
  let bundled: Promise<Assets> | undefined;
  const assets = () => {
    bundled ??= bundleAssets();
    return bundled;
  };

  const get = (path: string, handle: EventHandler) =>
    app.get(path, handle).on('HEAD', path, handle);

  get('/till/:asset', async ({ req, url }) => {
    const wanted = url.pathname.split('/').at(-1);
    const asset = Object.values(await assets()).find(({ name }) => name === wanted);
    return asset === undefined
      ? app.refuse(notHere, url.pathname)
      : serveAsset(asset, req, contentSecurityPolicy);
  });

  // `GET /` is JSON for programs.
  app.use('/', async (event, next) => {
    const { method, headers } = event.req;
    const isPage = event.url.pathname === '/' && (method === 'GET' || method === 'HEAD');
    const wantsHtml = headers.get('accept')?.includes('text/html') === true;
    if (!isPage || !wantsHtml) return next();
    const files = await assets();
    return html(
      simulated === undefined ? textPage('Stripe', files, '', aboutStripe) : tillPage(files),
    );
  });
  get('/guarantees', async () =>
    html(textPage('Guarantees', await assets(), '', toHtml(await readFile(guarantees, 'utf8')))),
  );
  get('/problems/:type', async ({ url }) => {
    const type = url.pathname.split('/').at(-1) ?? '';
    return isProblemType(type)
      ? html(textPage(type, await assets(), '../', problemPage(type)))
      : app.refuse(notHere, url.pathname);
  });
  get('/receipts/:id', async ({ url }) => {
    const contactlessPaymentId = url.pathname.split('/').at(-1) ?? '';
    const read = await chairside.getReceipt(desk, { contactlessPaymentId });
    return read.match((receipt) => html(receiptToHtml(receipt), ownStyle), app.problemResponse);
  });
  addDay(app, chairside, assets);
  if (simulated === undefined) return;

  const { fake, faults } = simulated;
  const books = createBooks(chairside, store, fake, timeline, { takesTenders, sharesPayments });

  get('/till/books', async () =>
    json({
      appointments: await books.read(),
      armed: faults.armed(),
      messages: faults.messages,
      canKill: faults.canKill,
      takesTips,
      ...(sharesPayments && { barbers: shopBarbers }),
    }),
  );
  get('/till/events', ({ req }) => streamOf(timeline, req));

  app.post('/till/orders', async (event) => {
    const order = await readJson(event, orderSchema);
    if (order.isErr()) return app.refuse(order.error, event.url.pathname);
    return (await carryOut(order.value)) ? json({}) : app.refuse(notPossible, event.url.pathname);
  });

  async function carryOut(order: Order): Promise<boolean> {
    const { do: what, ...rest } = order;
    timeline.add({ kind: 'fault', what: [what, ...Object.values(rest)].join(' ') });
    switch (order.do) {
      case 'loseAnswer':
        faults.loseAnswer();
        return true;
      case 'processor':
        faults.break(order.fault);
        return true;
      case 'messages':
        faults.messages = order.plan;
        return true;
      case 'cash':
        return books.payCash(order.appointmentId, BigInt(order.amount.replace('.', '')));
      case 'disarm':
        faults.disarm();
        return true;
      case 'kill':
        if (!faults.canKill) return false;
        // The answer leaves first, since the page asked for no fault of its own request.
        if (order.at === 'now') setTimeout(() => faults.kill('now'), 50);
        else faults.kill(order.at);
        return true;
    }
  }
}

const notHere = fault('notFound', 'There is nothing at this path.');
const notPossible = fault('conflict', 'This cannot be done here.');

const commonHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const guarantees = join(import.meta.dirname, '../../../../docs/reference/guarantees.md');

/** For a page that carries its style in itself. */
const ownStyle = contentSecurityPolicy.replace("style-src 'self'", "style-src 'unsafe-inline'");

function html(page: string, policy = contentSecurityPolicy): Response {
  return new Response(page, {
    headers: {
      ...commonHeaders,
      'content-security-policy': policy,
      'content-type': 'text/html; charset=utf-8',
      vary: 'accept',
    },
  });
}

function json(body: unknown): Response {
  return Response.json(body, { headers: commonHeaders });
}
