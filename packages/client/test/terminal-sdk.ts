import type { StripeIntent, StripeTerminalSdk } from '../src/stripe-terminal.ts';

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
  | 'throws';

export interface SdkOptions {
  readonly tokenProvider: () => Promise<string>;
  /** Presents the customer's card; returns the status of the intent afterwards. */
  readonly present: (clientSecret: string) => string;
  readonly after: (ms: number, run: () => void) => void;
  /** The behaviour for the first payments. */
  readonly faults?: readonly SdkFault[];
  /** The message of the error of each connection. */
  readonly connectionError?: string;
}

/**
 * A stateful stand-in of @stripe/stripe-terminal-react-native with its known faults. Each one is
 * one process of the app: it does not know intents that another one retrieved.
 */
export function createTerminalSdk(options: SdkOptions) {
  const { tokenProvider, present, after, faults = [], connectionError } = options;
  const secrets = new Map<string, string>();
  const script = [...faults];
  const locations: string[] = [];
  const connections: Parameters<StripeTerminalSdk['easyConnect']>[0][] = [];
  const seen = { locations, connections, overlaps: 0, processed: 0, initialized: 0 };
  let isInitialized = false;
  let isConnected = false;
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
      return isConnected ? 'connected' : 'notConnected';
    },
    async easyConnect(params) {
      seen.locations.push(params.locationId);
      seen.connections.push(params);
      if (connectionError !== undefined) return failed('UNEXPECTED_SDK_ERROR', connectionError);
      if (isConnected) return failed('ALREADY_CONNECTED_TO_READER', 'Already connected.');
      await tokenProvider();
      isConnected = true;
      return {};
    },
    async retrievePaymentIntent(clientSecret) {
      const [id = ''] = clientSecret.split('_secret_');
      secrets.set(id, clientSecret);
      return { paymentIntent: { id, status: 'requiresPaymentMethod' } };
    },
    processPaymentIntent({ paymentIntent }) {
      const clientSecret = secrets.get(paymentIntent.id);
      if (clientSecret === undefined) {
        return Promise.resolve(failed('INVALID_REQUIRED_PARAMETER', 'There is no such intent.'));
      }
      if (cancel !== undefined) seen.overlaps += 1;
      seen.processed += 1;
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
          case undefined:
            return end(approve());
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
    disconnect: () => {
      isConnected = false;
    },
    /** The provider is mounted again: it no longer knows that the SDK was initialized. */
    remount: () => {
      isInitialized = false;
    },
  };
}
