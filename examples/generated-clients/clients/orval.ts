import { createContactlessPayment } from './generated/orval/client.js';

/** Creates a payment for an appointment, and explains a refusal. The base URL is generated. */
export async function pay(_: string, token: string, appointmentId: string): Promise<string> {
  const { status, data } = await createContactlessPayment(
    appointmentId,
    {},
    {
      headers: { Authorization: `Bearer ${token}`, 'Idempotency-Key': crypto.randomUUID() },
    },
  );
  if (status === 201) return `${data.state} ${data.amount}`;
  switch (data.type) {
    case 'https://chairside.example/problems/appointmentAlreadyPaid':
      return `already paid, ${data.recovery.outcome}`;
    case 'https://chairside.example/problems/conflict':
      return `conflict ${data.attributes?.reason ?? ''}, ${data.recovery.outcome}`;
    default:
      return `${data.status}, ${data.recovery.outcome}`;
  }
}
