import { createClient } from './generated/hey-api/client/index.js';
import { createContactlessPayment } from './generated/hey-api/index.js';

/** Creates a payment for an appointment, and explains a refusal. */
export async function pay(baseUrl: string, token: string, appointmentId: string): Promise<string> {
  const { data, error } = await createContactlessPayment({
    client: createClient({ baseUrl, auth: token }),
    path: { appointmentId },
    headers: { 'Idempotency-Key': crypto.randomUUID() },
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
