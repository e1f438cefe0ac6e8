import { problemTypes } from '@chairside/core';
import { expect, test } from 'vitest';
import { barber, readProblem, send, startServer } from './server.ts';

test('the API reference works without any other origin (D128)', async () => {
  const { url } = await startServer({
    BASE_URL: 'https://pay.example/chairside',
    CHAIRSIDE_CHARGES: 'on',
  });
  const get = async (path: string) => {
    const response = await fetch(url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self';/,
    );
    return { type: response.headers.get('content-type'), text: await response.text() };
  };

  const page = await get('/docs');
  expect(page.type).toBe('text/html; charset=utf-8');
  expect(page.text).not.toMatch(/https?:|<script>/);
  const named = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => path);
  expect(named).toHaveLength(3);
  for (const path of named) expect((await get(`/${path}`)).text.length).toBeGreaterThan(100);

  const document = await get('/openapi.json');
  expect(document.type).toBe('application/json');
  expect(JSON.parse(document.text)).toMatchObject({
    openapi: '3.1.0',
    servers: [{ url: '/chairside' }],
    paths: { '/terminals': { get: { operationId: 'listTerminals' } } },
  });
  for (const path of ['/docs', '/openapi.json']) {
    expect((await fetch(url + path, { method: 'HEAD' })).status).toBe(200);
  }
  expect(document.text).toContain('"https://chairside.example/problems/notFound"');
  // Each operation has a sample in curl and in the client.
  const [, sampledPath = ''] = /spec-url="(docs\/openapi\.\w+\.json)"/.exec(page.text) ?? [];
  const sampled = await get(`/${sampledPath}`);
  const ofRefunds = await get('/openapi-refunds.json');
  expect(ofRefunds.text).toContain('"refundPayment"');
  const ofReceipts = await get('/openapi-receipts.json');
  expect(ofReceipts.text).toContain('"getReceipt"');
  const ofCharges = await get('/openapi-charges.json');
  expect(ofCharges.text).toContain('"chargePaymentMethod"');
  expect(sampled.text.match(/"x-code-samples"/g)).toHaveLength(
    `${document.text} ${ofRefunds.text} ${ofReceipts.text} ${ofCharges.text}`.match(
      /"operationId"/g,
    )?.length ?? 0,
  );
  // RapiDoc ignores what stands beside a reference.
  expect(sampled.text).not.toMatch(/"\$ref":"[^"]*",/);
  expect(sampled.text).toContain(
    '"The amount to collect. Default: what the appointment still owes."',
  );
  expect(sampled.text).toContain('"example":"appointment_open_050"');
  const viewer = await fetch(`${url}/${named.find((path) => path?.includes('rapidoc'))}`);
  expect(viewer.headers.get('content-encoding')).toBe('gzip');
  expect(viewer.headers.get('cache-control')).toContain('immutable');
  // The page also works with a trailing slash: its links leave the folder of the path.
  const withSlash = await get('/docs/');
  expect(withSlash.text).toMatch(/src="\.\.\/docs\/rapidoc\.\w+\.js"/);
  expect(withSlash.text).toContain(`spec-url="../${sampledPath}"`);
  expect((await get('/docs')).text).toMatch(/src="docs\/start\.\w+\.js"/);
});

test('a server without charges, tips and shares has no trace of them', async () => {
  const { url } = await startServer();
  for (const path of ['openapi-charges.json', 'missed-visits']) {
    expect((await fetch(`${url}/${path}`)).status, path).toBe(404);
  }
  const page = await (await fetch(`${url}/docs`)).text();
  const [, path] = /spec-url="(docs\/openapi\.\w+\.json)"/.exec(page) ?? [];
  const reference = await (await fetch(`${url}/${path}`)).text();
  expect(reference).toContain('"refundPayment"');
  expect(reference).not.toContain('"chargePaymentMethod"');
  for (const body of [{ tip: '1.00' }, { alsoPays: [{ appointmentId: 'a', amount: '1.00' }] }]) {
    const path = `${url}/appointments/appointment_open_001/contactlessPayments`;
    readProblem(await send(path, { token: barber, key: 'k', body }), 400, 'badRequest');
  }
  expect((await send(`${url}/openapi.json`)).text).not.toMatch(/\btip|share|alsoPays/i);
  const books = await (await fetch(`${url}/till/books`)).json();
  expect(books).toMatchObject({ takesTips: false });
  expect(books).not.toHaveProperty('barbers');
});

test("links and problems begin with the path of the server's public address", async () => {
  const { url } = await startServer({ BASE_URL: 'https://pay.example/chairside' });
  const opened = await fetch(`${url}/appointments/appointment_open_001/contactlessPayments`, {
    method: 'POST',
    headers: { authorization: 'Bearer demo-barber', 'idempotency-key': 'key' },
  });
  expect(opened.headers.get('location')).toMatch(/^\/chairside\/contactlessPayments\/cpm_/);
  expect(await (await fetch(`${url}/nothing`)).json()).toMatchObject({
    type: 'https://chairside.example/problems/notFound',
    instance: expect.stringMatching(/^https?:\/\/[^/]+\/chairside\/nothing#/),
  });
});

test('each problem has a page that explains it', async () => {
  const { url } = await startServer();
  for (const [type, { status, title }] of Object.entries(problemTypes)) {
    const page = await fetch(`${url}/problems/${type}`);
    expect(page.status, type).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await page.text();
    expect(text).toContain(`<title>${type} · Chairside</title>`);
    expect(text).toContain(`its HTTP status is ${status}`);
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text, `raw backticks: ${type}`).not.toContain('`');
  }
  expect((await fetch(`${url}/problems/unheardOf`)).status).toBe(404);
});
