import type { SdkError, StripeIntent, StripeTerminalSdk } from '../src/stripe-terminal.ts';

/** The SDK's behaviour for the next payment. */
export type SdkFault =
  /** Reports an approved card as declined (stripe-terminal-android #470). */
  | 'declinesApproved'
  /** Returns an error without an intent, although the card was approved. */
  | 'losesApproved'
  /** Reads no card, and ends only after a cancelation. */
  | 'waits'
  /** Ends some time after a cancelation; the card was approved meanwhile. */
  | 'approvesLate'
  /** Never ends, after any call. */
  | 'hangs'
  /** Throws instead of returning an error. */
  | 'throws'
  /** A person closes the card screen before a card is read. */
  | 'closes'
  /** Keeps the card to send it later. */
  | 'storesOffline'
  /** Resolves to neither an intent nor an error, although the card was approved. */
  | 'isEmpty'
  /** Reads no card, and ends with this error. */
  | SdkError;

/** The behaviour of a connection. `undefined`: it succeeds. A number: it succeeds after these milliseconds. */
type ConnectFault = 'hangs' | 'isEmpty' | number | SdkError | undefined;

export interface SdkOptions {
  readonly tokenProvider: () => Promise<string>;
  /** Presents the customer's card; returns the status of the intent afterwards. */
  readonly present: (clientSecret: string) => string;
  readonly after: (ms: number, run: () => void) => void;
  /** The behaviour for the first payments. */
  readonly faults?: readonly SdkFault[];
  /** The behaviour of the first connections. */
  readonly connects?: readonly ConnectFault[];
  /** The errors of the first retrievals; `undefined` for none. */
  readonly retrievals?: readonly (SdkError | undefined)[];
  readonly isLive?: boolean;
  /** The account that the payments are on behalf of. An iPhone takes them only on a connection for it. */
  readonly onBehalfOf?: () => string;
}

/**
 * A stateful stand-in of @stripe/stripe-terminal-react-native with its known faults. Each one is
 * one process of the app: it does not know intents that another one retrieved.
 */
export function createTerminalSdk(options: SdkOptions) {
  const { tokenProvider, present, after, faults = [], connects = [], retrievals = [] } = options;
  const secrets = new Map<string, string>();
  const script = [...faults];
  const locations: string[] = [];
  const connections: Parameters<StripeTerminalSdk['easyConnect']>[0][] = [];
  const connectScript = [...connects];
  const retrieveScript = [...retrievals];
  const calls: string[] = [];
  const seen = { locations, connections, calls, overlaps: 0, processed: 0, initialized: 0 };
  const tips: (boolean | undefined)[] = [];
  let isInitialized = false;
  let location: string | undefined;
  let account: string | undefined;
  let status: string | undefined;
  let networkStatus = 'online';
  let isConnecting = false;
  let cancelConnect: (() => void) | undefined;
  let cancel: (() => void) | undefined;

  const failed = (code: string, message: string) => ({ error: { code, message } });

  const sdk: StripeTerminalSdk<StripeIntent> = {
    async initialize() {
      seen.initialized += 1;
      try {
        // The SDK drops the token, and the reason for a missing one.
        await tokenProvider();
        isInitialized = true;
        return {};
      } catch {
        return failed('UNEXPECTED_SDK_ERROR', "Couldn't fetch connection token.");
      }
    },
    async getConnectionStatus() {
      if (!isInitialized) throw new Error('First initialize the Stripe Terminal SDK.');
      return status ?? (location === undefined ? 'notConnected' : 'connected');
    },
    async easyConnect(params) {
      seen.locations.push(params.locationId);
      seen.connections.push(params);
      if (isConnecting) return failed('READER_BUSY', 'The reader is busy.');
      if (location !== undefined) return failed('ALREADY_CONNECTED_TO_READER', 'Connected.');
      isConnecting = true;
      try {
        const fault = connectScript.shift();
        if (fault === 'hangs') {
          await new Promise<void>((resolve) => {
            cancelConnect = resolve;
          });
          return failed('CANCELED', 'The connection was canceled.');
        }
        if (fault === 'isEmpty') return {};
        if (typeof fault === 'number') await new Promise<void>((resolve) => after(fault, resolve));
        else if (fault !== undefined) return { error: fault };
        try {
          await tokenProvider();
        } catch {
          return failed('CONNECTION_TOKEN_PROVIDER_ERROR', 'No token.');
        }
        location = params.locationId;
        account = params.onBehalfOf;
        return { reader: { locationId: location } };
      } finally {
        isConnecting = false;
      }
    },
    async cancelEasyConnect() {
      calls.push('cancelEasyConnect');
      cancelConnect?.();
      return {};
    },
    async getConnectedReader() {
      return location === undefined ? {} : { locationId: location };
    },
    async getOfflineStatus() {
      return { sdk: { networkStatus } };
    },
    async disconnectReader() {
      calls.push('disconnectReader');
      location = undefined;
      status = undefined;
      secrets.clear();
      return {};
    },
    async clearCachedCredentials() {
      calls.push('clearCachedCredentials');
      return {};
    },
    async retrievePaymentIntent(clientSecret) {
      const error = retrieveScript.shift();
      if (error !== undefined) return { error };
      const [id = ''] = clientSecret.split('_secret_');
      secrets.set(id, clientSecret);
      const livemode = options.isLive === true;
      return { paymentIntent: { id, status: 'requiresPaymentMethod', livemode } };
    },
    processPaymentIntent({ paymentIntent, skipTipping }) {
      tips.push(skipTipping);
      const clientSecret = secrets.get(paymentIntent.id);
      if (clientSecret === undefined) {
        return Promise.resolve(
          failed(
            'INVALID_REQUIRED_PARAMETER',
            'No PaymentIntent was found. It must be re-retrieved with retrievePaymentIntent.',
          ),
        );
      }
      if (cancel !== undefined) seen.overlaps += 1;
      seen.processed += 1;
      if (options.onBehalfOf !== undefined && account !== options.onBehalfOf()) {
        return Promise.resolve(
          failed(
            'INVALID_REQUIRED_PARAMETER',
            "A PaymentIntent `on_behalf_of` a Connected Account requires that account's ID.",
          ),
        );
      }
      const fault = script.shift();
      return new Promise((resolve, reject) => {
        const end = (result: Awaited<ReturnType<typeof sdk.processPaymentIntent>>) => {
          cancel = undefined;
          resolve(result);
        };
        const approve = () => {
          const status = present(clientSecret);
          return { paymentIntent: { ...paymentIntent, status } };
        };
        cancel = () => end(failed('CANCELED', 'The payment was canceled.'));
        switch (fault) {
          case 'declinesApproved':
            approve();
            return end(failed('DECLINED_BY_STRIPE_API', 'The card was declined.'));
          case 'losesApproved':
            approve();
            return end(failed('REQUEST_TIMED_OUT', 'The request timed out.'));
          case 'waits':
            return undefined;
          case 'approvesLate':
            cancel = () => after(3000, () => end(approve()));
            return undefined;
          case 'hangs':
            cancel = () => undefined;
            return undefined;
          case 'throws':
            approve();
            cancel = undefined;
            return reject(new Error('bridge'));
          case 'closes':
            return end(failed('CANCELED', 'The payment was canceled.'));
          case 'storesOffline': {
            const offlineDetails = { requiresUpload: true };
            return end({
              paymentIntent: { ...paymentIntent, status: 'requiresCapture', offlineDetails },
            });
          }
          case 'isEmpty':
            approve();
            return end({});
          case undefined:
            return end(approve());
          default:
            return end({ error: fault });
        }
      });
    },
    async cancelProcessPaymentIntent() {
      if (cancel === undefined) return failed('CANCEL_FAILED', 'There is nothing to cancel.');
      cancel();
      return {};
    },
  };

  return {
    sdk,
    seen,
    tips,
    disconnect: () => {
      location = undefined;
    },
    /** The reader stays connected, and the SDK says this until it is disconnected. */
    say: (wrong: 'reconnecting' | 'notConnected') => {
      status = wrong;
    },
    goOffline: () => {
      networkStatus = 'offline';
    },
    /** The provider is mounted again: it no longer knows that the SDK was initialized. */
    remount: () => {
      isInitialized = false;
    },
  };
}
