import { createStripeProcessor } from '@chairside/stripe';

/** Stripe, by the settings of `.env`. */
export function openProcessor() {
  const { env } = process;
  const webhookSecret = env['STRIPE_WEBHOOK_SECRET'];
  const base = env['STRIPE_API_BASE']; // a stand-in's, such as http://127.0.0.1:12111
  const opened = createStripeProcessor({
    secretKey: env['STRIPE_SECRET_KEY'] ?? '',
    webhookSecrets: webhookSecret ? [webhookSecret] : [],
    api: base ? toApi(new URL(base)) : undefined,
  });
  if (opened.isErr()) throw new Error(`Stripe is not configured in .env: ${opened.error.kind}`);
  const processor = opened.value;
  const id = env['STRIPE_ACCOUNT'];
  if (!id) throw new Error('Set STRIPE_ACCOUNT in .env: acct_…');
  const location = env['STRIPE_LOCATION'];
  const account = {
    id,
    currency: env['STRIPE_CURRENCY'] || 'eur',
    ...(location && { terminalLocation: location }),
  };

  /** Asks Stripe, and changes nothing there. */
  async function check(): Promise<void> {
    const checked = await processor.checkAccount(account);
    if (checked.isErr()) return console.error('Stripe did not say whether it takes cards.');
    for (const { kind } of checked.value.obstacles) {
      console.error(`${id} cannot take cards: ${kind}`);
    }
    for (const { kind } of checked.value.warnings) console.error(`${id}: ${kind}`);
  }

  return { processor, account, check };
}

function toApi({ hostname: host, port }: URL) {
  return { host, port: Number(port), protocol: 'http' } as const;
}
