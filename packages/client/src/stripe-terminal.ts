import type { RegisterTerminalBody } from '@chairside/core';
import type { Client } from './client.ts';
import type { Terminal } from './operations.ts';
import { type AnyProblem, reasonOf } from './problem.ts';
import type { Collected, Intent, Reader, ReaderFailure, Report } from './reader.ts';
import {
  isSettingUp,
  reopen,
  type SdkError,
  type Trouble,
  troubleOf,
  troubles,
} from './stripe-errors.ts';
import { bounded, wait } from './time.ts';

export * from './stripe-errors.ts';

// Typed structurally: @stripe/stripe-terminal-react-native has no 1.0 yet, and is not installed
// here.

interface Failed {
  readonly error?: SdkError | undefined;
}

export interface StripeIntent {
  readonly id: string;
  readonly status?: string | undefined;
  readonly livemode?: boolean | undefined;
  /** Present if the phone keeps the card and sends it later. */
  readonly offlineDetails?: { readonly requiresUpload: boolean } | undefined;
}

interface ConnectedReader {
  readonly locationId?: string | undefined;
  readonly location?: { readonly id?: string | undefined } | undefined;
  readonly simulated?: boolean | undefined;
}

/** The part of `useStripeTerminal()` that is used. */
export interface StripeTerminalSdk<I extends StripeIntent = StripeIntent> {
  initialize(): Promise<Failed>;
  getConnectionStatus(): Promise<string>;
  getConnectedReader(): Promise<ConnectedReader>;
  getOfflineStatus(): Promise<{ readonly sdk: { readonly networkStatus: string } }>;
  easyConnect(params: {
    discoveryMethod: 'tapToPay';
    locationId: string;
    simulated?: boolean;
    autoReconnectOnUnexpectedDisconnect?: boolean;
    merchantDisplayName?: string;
    onBehalfOf?: string;
  }): Promise<Failed & { readonly reader?: object | undefined }>;
  cancelEasyConnect(): Promise<Failed>;
  disconnectReader(): Promise<Failed | undefined>;
  clearCachedCredentials(): Promise<Failed>;
  retrievePaymentIntent(
    clientSecret: string,
  ): Promise<Failed & { readonly paymentIntent?: I | undefined }>;
  processPaymentIntent(params: {
    paymentIntent: I;
    skipTipping?: boolean;
  }): Promise<Failed & { readonly paymentIntent?: I | undefined }>;
  cancelProcessPaymentIntent(): Promise<Failed>;
}

export interface StripeTerminalOptions {
  readonly client: Pick<
    Client,
    'registerTerminal' | 'listTerminals' | 'createTerminalConnectionToken' | 'time'
  >;
  /**
   * This phone, in the hands of this person: `deviceIdentifier` must be the same after a restart, and
   * another one for each person who signs in on the phone.
   */
  readonly device: RegisterTerminalBody;
  /** Stripe's simulated reader, which needs no card. It takes no payment in live mode. */
  readonly simulated?: boolean | undefined;
  /** The name on the Tap to Pay screen. */
  readonly merchantDisplayName?: string | undefined;
  /**
   * With destination charges: the business's account at Stripe (`acct_…`). An iPhone takes no payment
   * without it. Pass a function if one person works for several businesses.
   */
  readonly onBehalfOf?: string | (() => string | undefined) | undefined;
  /** Asks the person for the location, before the SDK starts: without it, the SDK crashes on Android. */
  readonly isAllowed?: (() => Promise<boolean>) | undefined;
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
  /** The SDK's error of the last connection, collect or retrieval; `undefined` once one succeeded. */
  lastError(): SdkError | undefined;
  /** Disconnects the reader and forgets the shop. Call it when the person signs out. */
  signOut(): Promise<void>;
}

/** The time limit of a call of the service, while the SDK waits. */
const timeLimitMs = 15_000;
const connectTimeoutMs = 45_000;
/** The first connection asks for Apple's terms and sets up the phone, which takes up to two minutes. */
const setupTimeoutMs = 180_000;
const cancelTimeoutMs = 5000;
/** The SDK reconnects by itself within this time, or hangs. */
const reconnectChecks = 10;
const reconnectPauseMs = 1000;

/** The SDK crashes instead. */
const notAllowed: SdkError = {
  code: 'MISSING_PREREQUISITE',
  message: 'The app may not use the location.',
};

const hangs: ReaderFailure = {
  failed: `The card reader does not connect. ${reopen}`,
  needsPerson: true,
};

/** Tap to Pay with `@stripe/stripe-terminal-react-native`. */
export function stripeTerminal<I extends StripeIntent>(
  options: StripeTerminalOptions,
): StripeTerminal<I> {
  const { client, device, simulated, merchantDisplayName, onBehalfOf, isAllowed } = options;
  let sdk: StripeTerminalSdk<I> | undefined;
  let problem: AnyProblem | undefined;
  let error: SdkError | undefined;
  let registered: Terminal | undefined;
  let isInitialized = false;
  /** A call said that the connection is of no use, although the SDK says "connected". */
  let isBroken = false;
  /** The account of the last connection, which the SDK does not tell. */
  let connectedFor: string | undefined;
  /** The one connect in flight, for which everybody waits. */
  let connecting: Promise<ReaderFailure | undefined> | undefined;
  let connectingSince = 0;
  let hasConnected = false;
  let isHanging = false;

  /** Registers first, because the SDK asks for a token when it starts, and drops the error. */
  async function register(): Promise<Terminal | undefined> {
    if (registered !== undefined) return registered;
    const made = await client.registerTerminal({ body: device }, { timeLimitMs });
    registered = made.isOk() ? made.value : await find(made.error);
    return registered;
  }

  /** An earlier run may have registered it: then its id and location are in the list. */
  async function find(refused: AnyProblem): Promise<Terminal | undefined> {
    problem = refused;
    if (reasonOf(refused) !== 'deviceAlreadyRegistered') return undefined;
    const listed = await client.listTerminals(undefined, { timeLimitMs });
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

  async function connect(): Promise<ReaderFailure | undefined> {
    problem = undefined;
    error = undefined;
    const terminal = await register();
    if (terminal === undefined) return failure('This phone is not registered as a terminal.');
    const { terminalLocation: locationId } = terminal;
    if (locationId === undefined) {
      // The next call asks the service again, because the shop may have one by then.
      registered = undefined;
      return failure('The shop has no terminal location.');
    }
    if (sdk === undefined) return failure('The terminal SDK is not mounted.');
    if (!isInitialized) {
      if ((await isAllowed?.()) === false) return sdkFailure(notAllowed);
      const { error: refused } = await sdk.initialize();
      if (refused !== undefined) return sdkFailure(refused);
      isInitialized = true;
    }
    const account = typeof onBehalfOf === 'function' ? onBehalfOf() : onBehalfOf;
    if (await isConnectedTo(sdk, locationId, account)) return undefined;
    const connected = await easyConnect(sdk, locationId, account);
    if (connected.error?.code !== 'ALREADY_CONNECTED_TO_READER') return judge(connected, account);
    // The SDK was reconnecting, or its state is wrong: "not connected" and "already connected".
    if (await isConnectedTo(sdk, locationId, account)) return undefined;
    await disconnect(sdk, false);
    return judge(await easyConnect(sdk, locationId, account), account);
  }

  const easyConnect = (
    terminal: StripeTerminalSdk<I>,
    locationId: string,
    account: string | undefined,
  ) =>
    terminal.easyConnect({
      discoveryMethod: 'tapToPay',
      locationId,
      autoReconnectOnUnexpectedDisconnect: true,
      ...(simulated !== undefined && { simulated }),
      ...(merchantDisplayName !== undefined && { merchantDisplayName }),
      ...(account !== undefined && { onBehalfOf: account }),
    });

  function judge(
    { error: refused, reader }: Failed & { readonly reader?: object | undefined },
    account: string | undefined,
  ) {
    if (refused !== undefined) return sdkFailure(refused);
    if (reader === undefined) return failure('The card reader did not connect.');
    connectedFor = account;
    hasConnected = true;
    isBroken = false;
    error = undefined;
    return undefined;
  }

  /** Whether the reader is connected for this shop. If not, what is left of a connection is closed. */
  async function isConnectedTo(
    terminal: StripeTerminalSdk<I>,
    locationId: string,
    account: string | undefined,
  ) {
    let status = await terminal.getConnectionStatus();
    for (let check = 0; status === 'reconnecting' && check < reconnectChecks; check += 1) {
      await wait(client.time, reconnectPauseMs);
      status = await terminal.getConnectionStatus();
    }
    if (status === 'notConnected') return false;
    const reader = await quietly(() => terminal.getConnectedReader());
    const at = reader?.locationId || reader?.location?.id || locationId;
    const isOurs =
      at === locationId &&
      account === connectedFor &&
      (reader?.simulated ?? false) <= (simulated ?? false);
    if (status === 'connected' && isOurs && !isBroken) return true;
    await disconnect(terminal, !isOurs);
    return false;
  }

  async function disconnect(terminal: StripeTerminalSdk<I>, forgets: boolean): Promise<void> {
    await quietly(() => terminal.disconnectReader());
    if (forgets) await quietly(() => terminal.clearCachedCredentials());
    isBroken = false;
  }

  /** A person has to act first. The service's own message is better than the SDK's. */
  function failure(message: string): ReaderFailure {
    const failed = (problem && 'detail' in problem && problem.detail) || problem?.title || message;
    return { failed, error, needsPerson: true };
  }

  /** The SDK blames the service's token. Without a problem the service gave it, or was not asked: that passes. */
  function troubleHere(refused: SdkError): Trouble {
    const trouble = troubleOf(refused);
    return trouble === 'token' && problem === undefined ? 'disconnected' : trouble;
  }

  /** No card was read, so none was declined. */
  function unretrieved(refused: SdkError): ReaderFailure {
    const trouble = troubleHere(refused);
    if (trouble !== 'declined' && trouble !== 'failed') return sdkFailure(refused);
    // The payment may be of the shop where the barber works now (D213): the next call registers and connects anew.
    registered = undefined;
    isBroken = true;
    return sdkFailure(refused, 'failed');
  }

  function sdkFailure(refused: SdkError, trouble = troubleHere(refused)): ReaderFailure {
    error = refused;
    const { act, words } = troubles[trouble];
    if (act === 'reconnect') isBroken = true;
    if (problem !== undefined) return failure(words);
    const { code, message } = refused;
    return { failed: words, error: { code, message }, needsPerson: act === 'end' };
  }

  const notMounted: ReaderFailure = { failed: 'The terminal SDK is not mounted.' };

  async function process(
    terminal: StripeTerminalSdk<I>,
    paymentIntent: I,
    signal: AbortSignal,
  ): Promise<Report> {
    const cancel = () => {
      // The collect's own end tells the result, so this promise's result is not needed.
      void quietly(() => terminal.cancelProcessPaymentIntent());
    };
    signal.addEventListener('abort', cancel);
    try {
      if (signal.aborted) return { said: 'canceled', hadNoCard: true };
      // The tip is asked for before the card, and is part of the amount.
      const skipTipping = true;
      const done = await terminal.processPaymentIntent({ paymentIntent, skipTipping });
      return done.error === undefined ? { said: saidBy(done.paymentIntent) } : reportOf(done.error);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  function reportOf(refused: SdkError): Report {
    const trouble = troubleHere(refused);
    const said = sayings[trouble] ?? 'unknown';
    const hadNoCard = troubles[trouble].money === 'none';
    const { needsPerson, ...failed } = sdkFailure(refused);
    // A card that may be kept for later is not asked for again.
    if (trouble === 'storedOffline') return { ...failed, said: 'offline' };
    return { ...failed, said, hadNoCard, needsPerson: needsPerson && trouble !== 'closed' };
  }

  return {
    attach(given) {
      sdk = given;
    },
    lastProblem: () => problem,
    lastError: () => error,
    terminal: () => registered,
    async signOut() {
      registered = undefined;
      problem = undefined;
      const terminal = sdk;
      if (terminal === undefined) return;
      await bounded(client.time, timeLimitMs, undefined, () => disconnect(terminal, true));
    },
    async tokenProvider() {
      const terminal = await register();
      if (terminal === undefined) throw new Error('This phone is not registered as a terminal.');
      const token = await client.createTerminalConnectionToken(
        { terminalId: terminal.id },
        { timeLimitMs },
      );
      problem = token.isErr() ? token.error : undefined;
      if (token.isOk()) return token.value.clientSecret;
      // It is unregistered, or another person's by now, so the next call registers it again.
      const { type } = token.error;
      if (type === 'notFound' || type === 'forbidden') registered = undefined;
      throw new Error(token.error.title);
    },
    async ready(signal) {
      if (isHanging) return hangs;
      if (connecting === undefined) connectingSince = client.time.now();
      connecting ??= (async () => {
        try {
          return await connect();
        } catch {
          // A provider that was mounted again throws until the SDK is initialized again.
          isInitialized = false;
          return { ...failure('The terminal SDK failed.'), needsPerson: false };
        } finally {
          connecting = undefined;
          isHanging = false;
        }
      })();
      const mine = connecting;
      const ended = await bounded(client.time, connectTimeoutMs, signal, () => mine);
      if ('value' in ended) return ended.value;
      if (ended.lost === 'aborted') return { failed: 'Stopped.' };
      const isEarly = client.time.now() - connectingSince < setupTimeoutMs;
      if (!hasConnected && isEarly) return sdkFailure(isSettingUp);
      await quietly(async () => sdk?.cancelEasyConnect());
      const late = await bounded(client.time, cancelTimeoutMs, signal, () => mine);
      if ('lost' in late) isHanging = true;
      // It may have connected just before the cancelation.
      return 'value' in late && late.value === undefined ? undefined : hangs;
    },
    async retrieve(clientSecret): Promise<Intent | ReaderFailure> {
      const terminal = sdk;
      if (terminal === undefined) return notMounted;
      try {
        const offline = await quietly(() => terminal.getOfflineStatus());
        if (offline?.sdk?.networkStatus === 'offline') return { failed: troubles.offline.words };
        const retrieved = await terminal.retrievePaymentIntent(clientSecret);
        if (retrieved.error !== undefined) return unretrieved(retrieved.error);
        const { paymentIntent } = retrieved;
        if (paymentIntent === undefined) return { failed: troubles.unknown.words };
        if (simulated && paymentIntent.livemode) {
          return { failed: 'A simulated reader takes no real payment.', needsPerson: true };
        }
        return {
          reference: paymentIntent.id,
          collect: (signal) =>
            process(terminal, paymentIntent, signal).catch((): Report => ({ said: 'unknown' })),
        };
      } catch {
        isInitialized = false;
        return { failed: 'The terminal SDK failed.' };
      }
    },
  };
}

/** What an error says of the card. The server is asked all the same: the SDK has declined an approved card. */
const sayings: Partial<Readonly<Record<Trouble, Collected>>> = {
  closed: 'canceled',
  declined: 'declined',
};

/** For calls whose failure changes nothing. */
async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

function saidBy(intent: StripeIntent | undefined): Collected {
  if (intent?.offlineDetails?.requiresUpload) return 'offline';
  switch (intent?.status) {
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
