// The needs of Tap to Pay before the first customer, by the errors of Stripe's SDK.
import {
  type SdkError,
  type Trouble,
  troubleOf,
  troubles,
} from '@chairside/client/stripe-terminal';

export type Missing = Trouble;

/** For the barber. */
export const missingWords: Readonly<Record<Missing, string>> = Object.fromEntries(
  Object.entries(troubles).map(([name, { words }]) => [name, words]),
) as Record<Missing, string>; // cast: the keys of `troubles` are all troubles

/** The part of `useStripeTerminal()` that is asked. */
interface Sdk {
  supportsReadersOfType(params: {
    deviceType: 'tapToPay';
    discoveryMethod: 'tapToPay';
  }): Promise<{ readonly readerSupportResult: boolean; readonly error?: SdkError }>;
}

interface Checks {
  readonly sdk: Sdk | undefined;
  /** Connects the reader; true if it is ready. */
  readonly connect: () => Promise<boolean>;
  /** The SDK's error of the last connection. */
  readonly refused: () => SdkError | undefined;
  /** Whether the service refused this phone. */
  readonly isUnregistered: () => boolean;
}

/** Checks in this order, because each step needs the one before. */
export async function findMissing(checks: Checks): Promise<readonly Missing[]> {
  // It initializes the SDK too, which the next question needs.
  if (await checks.connect()) return [];
  const support = await supported(checks.sdk);
  if (support?.readerSupportResult === false) {
    const why = support.error === undefined ? 'device' : troubleOf(support.error);
    return [why === 'unknown' ? 'device' : why];
  }
  if (checks.isUnregistered()) return ['shop'];
  const refused = checks.refused();
  return [refused === undefined ? 'unknown' : troubleOf(refused)];
}

/** The SDK throws until it is initialized, which also fails if the service gives no token. */
async function supported(sdk: Sdk | undefined) {
  try {
    return await sdk?.supportsReadersOfType({
      deviceType: 'tapToPay',
      discoveryMethod: 'tapToPay',
    });
  } catch {
    return undefined;
  }
}
