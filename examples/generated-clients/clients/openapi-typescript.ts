import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi-typescript/schema.js';

/** Creates a payment for an appointment, and explains a refusal. */
export async function pay(baseUrl: string, token: string, appointmentId: string): Promise<string> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  const { data, error } = await client.POST('/appointments/{appointmentId}/contactlessPayments', {
    params: { path: { appointmentId }, header: { 'Idempotency-Key': crypto.randomUUID() } },
  });
  if (data !== undefined) return `${data.state} ${data.amount}`;
  switch (error.type) {
    case 'https://chairside.example/problems/appointmentAlreadyPaid':
      return `already paid, ${error.recovery.outcome}`;
    case 'https://chairside.example/problems/conflict':
      return `conflict ${error.attributes?.reason ?? ''}, ${error.recovery.outcome}`;
    default:
      return `${error.status}, ${error.recovery.outcome}`;
  }
}
