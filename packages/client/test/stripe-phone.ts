import { createClient, createRegister, type Fetch, type Journal } from '../src/index.ts';
import {
  type StripeIntent,
  type StripeTerminal,
  type StripeTerminalOptions,
  stripeTerminal,
} from '../src/stripe-terminal.ts';
import { baseUrl, type Shop } from './shop.ts';
import { createTerminalSdk, type SdkFault, type SdkOptions } from './terminal-sdk.ts';
import { memoryJournal } from './till.ts';
import { createVirtualTime } from './virtual-time.ts';

export interface PhoneOptions {
  readonly faults?: readonly SdkFault[];
  readonly journal?: Journal;
  readonly token?: string | (() => string);
  readonly fetch?: Fetch;
  readonly presentMs?: number;
  readonly reader?: Partial<StripeTerminalOptions>;
  readonly sdk?: Pick<SdkOptions, 'connects' | 'retrievals' | 'isLive' | 'onBehalfOf'>;
  readonly device?: string;
}

/** One start of the app on a phone with Stripe's SDK. */
export function startPhone(shop: Shop, options: PhoneOptions = {}) {
  const virtual = createVirtualTime(shop.clock.now());
  const time = {
    now: virtual.now,
    after: (ms: number, run: () => void) =>
      virtual.after(ms, () => {
        shop.clock.advance(Math.max(0, virtual.now() - shop.clock.now()));
        run();
      }),
  };
  const { processor } = shop;
  const fetch = options.fetch ?? shop.fetch;
  const token = options.token ?? 'ada';
  const client = createClient({
    baseUrl,
    fetch,
    accessToken: () => (typeof token === 'string' ? token : token()),
    time,
  });
  const { reader } = options;
  const device = { platform: 'ios', deviceIdentifier: options.device ?? 'phone-1' } as const;
  const terminal: StripeTerminal<StripeIntent> = stripeTerminal({ client, device, ...reader });
  const stand = createTerminalSdk({
    tokenProvider: terminal.tokenProvider,
    after: (ms, run) => void time.after(ms, run),
    faults: options.faults ?? [],
    ...options.sdk,
    present(clientSecret) {
      const tapped = processor.presentCard(clientSecret, 'visa_credit');
      return tapped.isOk() ? 'requiresCapture' : 'requiresPaymentMethod';
    },
  });
  terminal.attach(stand.sdk);
  const register = createRegister({
    client,
    reader: terminal,
    journal: options.journal ?? memoryJournal(),
    subject: 'user-ada',
    limits: { presentMs: options.presentMs ?? 30_000 },
  });
  return { ...stand, terminal, register, client, time };
}
