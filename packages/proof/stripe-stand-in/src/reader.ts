import type Stripe from 'stripe';

export type Reader = Stripe.Terminal.Reader & { readonly location: string | null };

/** A simulated reader, which a server drives through Stripe's API. */
export function newReader(
  given: Pick<Reader, 'id' | 'label' | 'livemode' | 'location' | 'last_seen_at'>,
): Reader {
  return {
    object: 'terminal.reader',
    action: null,
    device_sw_version: '',
    device_type: 'simulated_wisepos_e',
    ip_address: '127.0.0.1',
    metadata: {},
    serial_number: given.id,
    status: 'online',
    ...given,
  };
}

export function processing(reader: Reader, paymentIntent: string): Reader {
  return {
    ...reader,
    action: {
      api_error: null,
      failure_code: null,
      failure_message: null,
      process_payment_intent: { payment_intent: paymentIntent, process_config: {} },
      status: 'in_progress',
      type: 'process_payment_intent',
    },
  };
}

export function ended(reader: Reader, isApproved: boolean): Reader {
  const { action } = reader;
  if (action === null) return reader;
  return {
    ...reader,
    action: {
      ...action,
      failure_code: isApproved ? null : 'card_declined',
      failure_message: isApproved ? null : 'Your card was declined.',
      status: isApproved ? 'succeeded' : 'failed',
    },
  };
}
