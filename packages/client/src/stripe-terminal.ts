import type { RegisterTerminalBody } from '@chairside/core';
import type { Terminal } from './answers.ts';
import type { Client } from './client.ts';
import { type AnyProblem, reasonOf } from './problem.ts';
import type { Collected, Intent, Reader, ReaderFailure } from './reader.ts';

// Typed structurally: @stripe/stripe-terminal-react-native has no 1.0 yet, and is not installed
// here.

interface Failed {
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

export interface StripeIntent {
  readonly id: string;
  readonly status?: string | undefined;
}

/** The part of `useStripeTerminal()` that is used. */
export interface StripeTerminalSdk<I extends StripeIntent = StripeIntent> {
  initialize(): Promise<Failed>;
  getConnectionStatus(): Promise<string>;
  easyConnect(params: {
    discoveryMethod: 'tapToPay';
    locationId: string;
    simulated?: boolean;
    autoReconnectOnUnexpectedDisconnect?: boolean;
    merchantDisplayName?: string;
  }): Promise<Failed>;
  retrievePaymentIntent(
    clientSecret: string,
  ): Promise<Failed & { readonly paymentIntent?: I | undefined }>;
  processPaymentIntent(params: {
    paymentIntent: I;
  }): Promise<Failed & { readonly paymentIntent?: I | undefined }>;
  cancelProcessPaymentIntent(): Promise<Failed>;
}

export interface StripeTerminalOptions {
  readonly client: Pick<
    Client,
    'registerTerminal' | 'listTerminals' | 'createTerminalConnectionToken' | 'time'
  >;
  /** This phone. `deviceIdentifier` must be the same after a restart. */
  readonly device: RegisterTerminalBody;
  /** Stripe's simulated reader, which needs no card. */
  readonly simulated?: boolean | undefined;
  /** The name on the Tap to Pay screen. */
  readonly merchantDisplayName?: string | undefined;
}

export interface StripeTerminal<I extends StripeIntent> extends Reader {
  /** For `StripeTerminalProvider`. It rejects as the SDK requires, and keeps the problem. */
  readonly tokenProvider: () => Promise<string>;
  /** Passes on the result of `useStripeTerminal()`, once the provider is mounted. */
  attach(sdk: StripeTerminalSdk<I>): void;
  /** The problem of the last connection token, which the SDK does not pass on. */
  lastProblem(): AnyProblem | undefined;
  /** This phone's terminal, once it is registered. */
  terminal(): Terminal | undefined;
}

/** Tap to Pay with `@stripe/stripe-terminal-react-native`. */
export function stripeTerminal<I extends StripeIntent>(
  options: StripeTerminalOptions,
): StripeTerminal<I> {
  const { client, device, simulated, merchantDisplayName } = options;
  let sdk: StripeTerminalSdk<I> | undefined;
  let problem: AnyProblem | undefined;
  let registered: Terminal | undefined;
  let isInitialized = false;

  /** Registers first, because the SDK asks for a token when it starts, and drops the error. */
  async function register(signal?: AbortSignal): Promise<Terminal | undefined> {
    if (registered !== undefined) return registered;
    const made = await client.registerTerminal({ body: device }, { signal });
    registered = made.isOk() ? made.value : await find(made.error, signal);
    return registered;
  }

  /** An earlier run may have registered it: then its id and location are in the list. */
  async function find(refused: AnyProblem, signal?: AbortSignal): Promise<Terminal | undefined> {
    problem = refused;
    if (reasonOf(refused) !== 'deviceAlreadyRegistered') return undefined;
    const listed = await client.listTerminals(undefined, { signal });
    if (listed.isErr()) {
      problem = listed.error;
      return undefined;
    }
    const { platform, deviceIdentifier } = device;
    const own = listed.value.items.find(
      (item) => item.deviceIdentifier === deviceIdentifier && item.platform === platform,
    );
    if (own !== undefined) problem = undefined;
    return own;
  }

  async function connect(signal: AbortSignal): Promise<ReaderFailure | undefined> {
    problem = undefined;
    const terminal = await register(signal);
    if (terminal === undefined) return failure('This phone is not registered as a terminal.');
    const { terminalLocation: locationId } = terminal;
    if (locationId === undefined) {
      // The next call asks the service again, because the shop may have one by then.
      registered = undefined;
      return failure('The shop has no terminal location.');
    }
    if (sdk === undefined) return failure('The terminal SDK is not mounted.');
    if (!isInitialized) {
      const { error } = await sdk.initialize();
      if (error !== undefined) return failure(error.message);
      isInitialized = true;
    }
    if ((await sdk.getConnectionStatus()) === 'connected') return undefined;
    const { error } = await sdk.easyConnect({
      discoveryMethod: 'tapToPay',
      locationId,
      autoReconnectOnUnexpectedDisconnect: true,
      ...(simulated !== undefined && { simulated }),
      ...(merchantDisplayName !== undefined && { merchantDisplayName }),
    });
    const isConnected = error === undefined || error.code === 'ALREADY_CONNECTED_TO_READER';
    return isConnected ? undefined : failure(error.message);
  }

  /** The service's own message is better than the SDK's. */
  function failure(message: string): ReaderFailure {
    if (problem === undefined) return { failed: message };
    return { failed: ('detail' in problem && problem.detail) || problem.title };
  }

  async function process(
    terminal: StripeTerminalSdk<I>,
    paymentIntent: I,
    signal: AbortSignal,
  ): Promise<Collected> {
    const cancel = () => {
      // The collect's own end tells the result, so this promise's result is not needed.
      terminal.cancelProcessPaymentIntent().catch(() => undefined);
    };
    signal.addEventListener('abort', cancel);
    try {
      if (signal.aborted) return 'canceled';
      const { paymentIntent: processed, error } = await terminal.processPaymentIntent({
        paymentIntent,
      });
      if (error === undefined) return saidBy(processed?.status);
      return error.code === 'CANCELED' ? 'canceled' : 'unknown';
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  return {
    attach(given) {
      sdk = given;
    },
    lastProblem: () => problem,
    terminal: () => registered,
    async tokenProvider() {
      const terminal = await register();
      if (terminal === undefined) throw new Error('This phone is not registered as a terminal.');
      const token = await client.createTerminalConnectionToken({ terminalId: terminal.id });
      problem = token.isErr() ? token.error : undefined;
      if (token.isOk()) return token.value.clientSecret;
      // Another phone has unregistered it, so the next call registers it again.
      if (token.error.type === 'notFound') registered = undefined;
      throw new Error(token.error.title);
    },
    async ready(signal) {
      try {
        return await connect(signal);
      } catch {
        // A provider that was mounted again throws until the SDK is initialized again.
        isInitialized = false;
        return failure('The terminal SDK failed.');
      }
    },
    async retrieve(clientSecret): Promise<Intent | ReaderFailure> {
      const terminal = sdk;
      if (terminal === undefined) return failure('The terminal SDK is not mounted.');
      try {
        const { paymentIntent, error } = await terminal.retrievePaymentIntent(clientSecret);
        if (paymentIntent === undefined) return failure(error?.message ?? 'No such payment.');
        return {
          reference: paymentIntent.id,
          collect: (signal) => process(terminal, paymentIntent, signal).catch(() => 'unknown'),
        };
      } catch {
        return failure('The terminal SDK failed.');
      }
    },
  };
}

/**
 * The SDK reports a decline as an error, and has done so for an approved card, so it counts as
 * unknown.
 */
function saidBy(status: string | undefined): Collected {
  switch (status) {
    case 'requiresCapture':
    case 'succeeded':
      return 'approved';
    case 'processing':
      return 'processing';
    case 'canceled':
      return 'canceled';
    default:
      return 'unknown';
  }
}
