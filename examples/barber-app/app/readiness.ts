// The needs of Tap to Pay before the first customer, by the errors of Stripe's SDK.

export type Missing =
  | 'permission'
  | 'location'
  | 'device'
  | 'system'
  | 'passcode'
  | 'nfc'
  | 'entitlement'
  | 'terms'
  | 'blocked'
  | 'shop'
  | 'other';

/** A part of the SDK's `StripeError`. */
export interface SdkError {
  readonly code: string;
  readonly message: string;
  /** On iOS the name of the native error. */
  readonly nativeErrorCode?: string;
  /** On iOS its number. */
  readonly underlyingError?: { readonly code: string };
}

/**
 * iOS reports entitlement, device and passcode under one `code`, so the native name and number decide.
 * An unsupported system and an unsupported iPhone have the same error there.
 */
const table: readonly (readonly [RegExp, Missing])[] = [
  [/\b2900\b|commandNotAllowed\b/i, 'entitlement'],
  [/\b(2960|2970|3930|3940)\b|TOS/, 'terms'],
  [/\b3950\b|MERCHANT_BLOCKED|3920|DEVICE_TAMPERED|INSECURE_ENVIRONMENT/, 'blocked'],
  [/\b2920\b|passcodeNotEnabled|PIN_UNAVAILABLE/i, 'passcode'],
  [/UNSUPPORTED_ANDROID_VERSION|ANDROID_API_LEVEL/, 'system'],
  [/\b2910\b|unsupportedMobileDevice|UNSUPPORTED_DEVICE|UNSUPPORTED_PROCESSOR/i, 'device'],
  [/LOCATION_SERVICES_DISABLED/, 'location'],
  [/NFC_DISABLED/, 'nfc'],
  [/PERMISSION_DENIED|MISSING_PREREQUISITE/, 'permission'],
];

export function missingBy(error: SdkError): Missing {
  const { code, nativeErrorCode, underlyingError } = error;
  const names = [code, nativeErrorCode, underlyingError?.code].join(' ');
  return table.find(([pattern]) => pattern.test(names))?.[1] ?? 'other';
}

/** For the barber. */
export const missingWords: Readonly<Record<Missing, string>> = {
  permission: 'Allow this app to use your location, in the settings of the phone.',
  location: 'Switch on the location services of the phone.',
  device:
    'This phone cannot read cards, or its system is too old. An iPhone XS or newer is needed.',
  system: 'Update the system of the phone.',
  passcode: 'Set a passcode on the phone.',
  nfc: 'Switch on NFC.',
  entitlement: 'This version of the app may not read cards. Its maker needs the entitlement.',
  terms: "Accept Apple's terms for Tap to Pay: press Connect, signed in to iCloud.",
  blocked: 'This phone or this shop was blocked. Ask the shop.',
  shop: 'The shop cannot take cards on this phone yet. Ask the shop.',
  other: 'The card reader is not ready. Press Connect.',
};

/** The part of `useStripeTerminal()` that is asked. */
interface Sdk {
  supportsReadersOfType(params: {
    deviceType: 'tapToPay';
    discoveryMethod: 'tapToPay';
  }): Promise<{ readonly readerSupportResult: boolean; readonly error?: SdkError }>;
}

interface Checks {
  readonly sdk: Sdk | undefined;
  /** Asks for the location; true if it is allowed. The SDK crashes on Android without it. */
  readonly isAllowed: () => Promise<boolean>;
  /** Connects the reader; true if it is ready. */
  readonly connect: () => Promise<boolean>;
  /** The SDK's error of the last connection. */
  readonly refused: () => SdkError | undefined;
  /** Whether the service refused this phone. */
  readonly isUnregistered: () => boolean;
}

/** Checks in this order, because each step needs the one before. */
export async function findMissing(checks: Checks): Promise<readonly Missing[]> {
  if (!(await checks.isAllowed())) return ['permission'];
  // It initializes the SDK too, which the next question needs.
  if (await checks.connect()) return [];
  const support = await checks.sdk?.supportsReadersOfType({
    deviceType: 'tapToPay',
    discoveryMethod: 'tapToPay',
  });
  if (support?.readerSupportResult === false) {
    const why = support.error === undefined ? 'device' : missingBy(support.error);
    return [why === 'other' ? 'device' : why];
  }
  const refused = checks.refused();
  if (refused !== undefined) return [missingBy(refused)];
  return [checks.isUnregistered() ? 'shop' : 'other'];
}
