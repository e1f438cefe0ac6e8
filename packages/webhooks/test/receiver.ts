import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CloudEvent } from '@chairside/core';
import { onTestFinished } from 'vitest';

/** A delivery as the receiver saw it. */
interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** @returns the receiver's address. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // cast: a server on TCP has a port
  return `http://127.0.0.1:${port}/hooks?shop=1`;
}

/** A receiver that keeps what it gets. Its statuses are those given, then 204. */
export async function startReceiver(...statuses: number[]) {
  const received: Received[] = [];
  const url = await listen(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    const status = statuses.shift() ?? 204;
    response.writeHead(status, { location: '/elsewhere' }).end();
  });
  return { url, received };
}

export const secret = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`;
export const nextSecret = `whsec_${Buffer.alloc(24, 'b').toString('base64')}`;

export const event: CloudEvent = {
  specversion: '1.0',
  id: 'cpm_1/3',
  source: 'urn:chairside:test',
  type: 'contactlessPayment.captured',
  subject: 'cpm_1',
  time: '2026-11-02T10:00:00.000Z',
  datacontenttype: 'application/json',
  sequence: '0000000000000003',
  data: {
    contactlessPaymentId: 'cpm_1',
    appointmentId: 'a',
    businessId: 'shop',
    barberId: 'ada',
    amount: '45.00',
    currency: 'eur',
    state: 'captured',
  },
};
