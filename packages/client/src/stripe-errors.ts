/** A part of the SDK's `StripeError`. */
export interface SdkError {
  readonly code: string;
  readonly message: string;
  /** On iOS the number or the name of the native error. */
  readonly nativeErrorCode?: string | undefined;
  readonly underlyingError?: { readonly code: string } | undefined;
  /** Stripe's own error: `card_error` on iOS, `CARD_ERROR` on Android. */
  readonly apiError?: { readonly type?: string | undefined } | undefined;
}

/**
 * The kinds of trouble. `unknown` is an error that the table does not have: the server is asked what
 * happened to the money.
 */
export type Trouble =
  | 'closed'
  | 'declined'
  | 'card'
  | 'failed'
  | 'disconnected'
  | 'busy'
  | 'offline'
  | 'storedOffline'
  | 'token'
  | 'call'
  | 'permission'
  | 'bluetooth'
  | 'location'
  | 'nfc'
  | 'passcode'
  | 'developer'
  | 'system'
  | 'device'
  | 'blocked'
  | 'battery'
  | 'update'
  | 'setup'
  | 'terms'
  | 'app'
  | 'restart'
  | 'shop'
  | 'unknown';

interface Meaning {
  /** `none`: no card was read. `ask`: the server is asked in every case, by capturing. */
  readonly money: 'none' | 'ask';
  /**
   * `again`: the card is asked for again. `reconnect`: the reader is disconnected and connected before.
   * `end`: a person has to act first.
   */
  readonly act: 'again' | 'reconnect' | 'end';
  /** For the barber. */
  readonly words: string;
}

const again = (words: string): Meaning => ({ money: 'ask', act: 'again', words });
const person = (words: string): Meaning => ({ money: 'none', act: 'end', words });
export const reopen = 'Close the app, open it again, and take the payment.';

export const troubles: Readonly<Record<Trouble, Meaning>> = {
  closed: { money: 'ask', act: 'end', words: 'The card screen was closed.' },
  declined: again('The card was declined. Take another card.'),
  card: again('The card was not read. Hold it there again, or take another card.'),
  failed: again('The card reader failed. Try again.'),
  disconnected: {
    money: 'ask',
    act: 'reconnect',
    words: 'The card reader was disconnected. Wait until it is connected again.',
  },
  busy: again(`The card reader stays busy. ${reopen}`),
  offline: again('This phone is offline. Connect it to the internet.'),
  storedOffline: {
    money: 'ask',
    act: 'end',
    words:
      'This phone kept a card to send it later. Connect it to the internet. Do not charge again.',
  },
  token: person('The service gives this phone no access to its card reader. Ask the shop.'),
  call: person('End the phone call, then try again.'),
  permission: person('Allow this app to use your location, in the settings of the phone.'),
  bluetooth: person('Allow this app to use Bluetooth and USB, in the settings of the phone.'),
  location: person('Switch on the location services of the phone.'),
  nfc: person('Switch on NFC.'),
  passcode: person('Set a passcode on the phone, and close what lies over the screen.'),
  developer: person('Switch off the developer options of the phone.'),
  system: person('Update the system of the phone.'),
  device: person('This phone cannot read cards, or its system is too old. Take another phone.'),
  blocked: person('This phone or this shop was blocked. Ask the shop.'),
  battery: person('Charge the card reader.'),
  update: person('The card reader could not be prepared. Check the internet, then try again.'),
  setup: person(
    'The phone is setting up its card reader. Keep this app open for some minutes, then take the payment.',
  ),
  terms: person("Accept Apple's terms for Tap to Pay: press Connect, signed in to iCloud."),
  app: {
    money: 'ask',
    act: 'end',
    words:
      'This version of the app cannot read cards. Use another phone, and tell the maker of the app.',
  },
  restart: {
    money: 'ask',
    act: 'end',
    words: `The app has lost its card reader. ${reopen} If that does not help, use another phone, and tell the maker of the app.`,
  },
  shop: person('The shop cannot take cards on this phone yet. Ask the shop.'),
  unknown: again('The card reader failed, for a reason that this app does not know.'),
};

/** Each error code of the SDK, by its trouble. A test compares it with the codes of the real package. */
const codes: Readonly<Partial<Record<Trouble, string>>> = {
  closed: 'CANCELED CUSTOMER_CONSENT_REQUIRED CANCELED_DUE_TO_INTEGRATION_ERROR',
  declined: `DECLINED_BY_STRIPE_API DECLINED_BY_READER OFFLINE_AND_CARD_EXPIRED
    OFFLINE_TRANSACTION_DECLINED CARD_NOT_SUPPORTED TEST_CARD_IN_LIVEMODE`,
  card: `CARD_INSERT_NOT_READ CARD_SWIPE_NOT_READ CARD_READ_TIMED_OUT CARD_REMOVED CARD_LEFT_IN_READER
    CARD_SWIPE_NOT_AVAILABLE MISSING_EMV_DATA`,
  failed: `CANCEL_FAILED UNEXPECTED_OPERATION GENERIC_READER_ERROR UNEXPECTED_SDK_ERROR
    STRIPE_API_ERROR STRIPE_API_RESPONSE_DECODING_ERROR REQUEST_TIMED_OUT
    TAP_TO_PAY_READER_REQUEST_INTERRUPTED`,
  disconnected: `NOT_CONNECTED_TO_READER ALREADY_CONNECTED_TO_READER SESSION_EXPIRED
    READER_COMMUNICATION_ERROR READER_COMMUNICATION_SSL_ERROR BLUETOOTH_ERROR BLUETOOTH_DISCONNECTED
    BLUETOOTH_RECONNECT_STARTED BLUETOOTH_SCAN_TIMED_OUT USB_DISCONNECTED USB_RECONNECT_STARTED
    USB_DISCOVERY_TIMED_OUT READER_CONNECTED_TO_ANOTHER_DEVICE READER_MISSING_ENCRYPTION_KEYS
    READER_SETTINGS_ERROR TAP_TO_PAY_READER_OFFLINE_MODE_SESSION_EXPIRED
    TAP_TO_PAY_READER_OFFLINE_MODE_SESSION_INVALIDATED
    TAP_TO_PAY_READER_OFFLINE_MODE_TOKEN_ISSUER_CHANGED`,
  busy: 'READER_BUSY',
  offline: `STRIPE_API_CONNECTION_ERROR NOT_CONNECTED_TO_INTERNET_AND_REQUIRE_ONLINE_SET
    READER_CONNECTION_NOT_AVAILABLE_OFFLINE LOCATION_CONNECTION_NOT_AVAILABLE_OFFLINE
    TAP_TO_PAY_READER_OFFLINE_MODE_NOT_ALLOWED INTERAC_NOT_SUPPORTED_OFFLINE
    ONLINE_PIN_NOT_SUPPORTED_OFFLINE AMOUNT_EXCEEDS_MAX_OFFLINE_AMOUNT INVALID_OFFLINE_CURRENCY
    FORCE_OFFLINE_WITH_FEATURE_DISABLED OFFLINE_ENCRYPTION_KEYS_UNAVAILABLE
    AMOUNT_SURCHARGE_NOT_SUPPORTED_OFFLINE OFFLINE_PAYMENTS_DATABASE_TOO_LARGE
    OFFLINE_TESTMODE_PAYMENT_IN_LIVEMODE OFFLINE_LIVEMODE_PAYMENT_IN_TESTMODE
    SIMULATED_OFFLINE_MODE_NOT_AVAILABLE_IN_LIVEMODE`,
  storedOffline: `OFFLINE_COLLECT_AND_CONFIRM_MISMATCH OFFLINE_PAYMENT_INTENT_NOT_FOUND
    CONNECTION_TOKEN_PROVIDER_ERROR_WHILE_FORWARDING ACCOUNT_ID_MISMATCH_WHILE_FORWARDING`,
  token: 'CONNECTION_TOKEN_PROVIDER_ERROR',
  permission: 'MISSING_PREREQUISITE',
  bluetooth: 'BLUETOOTH_PERMISSION_DENIED USB_PERMISSION_DENIED',
  location: 'LOCATION_SERVICES_DISABLED',
  nfc: 'TAP_TO_PAY_NFC_DISABLED',
  passcode: 'TAP_TO_PAY_PIN_UNAVAILABLE',
  developer: 'TAP_TO_PAY_INSECURE_ENVIRONMENT',
  system: `TAP_TO_PAY_UNSUPPORTED_ANDROID_VERSION OFFLINE_MODE_UNSUPPORTED_ANDROID_VERSION
    ANDROID_API_LEVEL_ERROR`,
  device: `TAP_TO_PAY_UNSUPPORTED_DEVICE TAP_TO_PAY_UNSUPPORTED_PROCESSOR UNSUPPORTED_READER_VERSION
    BLUETOOTH_LOW_ENERGY_UNSUPPORTED`,
  blocked: 'TAP_TO_PAY_DEVICE_TAMPERED READER_TAMPERED TAP_TO_PAY_READER_MERCHANT_BLOCKED',
  battery: 'READER_BATTERY_CRITICALLY_LOW READER_SOFTWARE_UPDATE_FAILED_BATTERY_LOW',
  update: `READER_SOFTWARE_UPDATE_FAILED READER_SOFTWARE_UPDATE_FAILED_INTERRUPTED
    READER_SOFTWARE_UPDATE_FAILED_READER_ERROR READER_SOFTWARE_UPDATE_FAILED_SERVER_ERROR`,
  app: `CONFIRM_INVALID_PAYMENT_INTENT CONFIRM_INVALID_SETUP_INTENT INVALID_CLIENT_SECRET
    UNSUPPORTED_OPERATION UNSUPPORTED_SDK MISSING_REQUIRED_PARAMETER INVALID_REQUIRED_PARAMETER
    INVALID_TIP_PARAMETER INVALID_MOTO_CONFIGURATION TAP_TO_PAY_LIBRARY_NOT_INCLUDED TAP_TO_PAY_DEBUG_NOT_SUPPORTED
    MOBILE_WALLET_NOT_SUPPORTED_ON_SETUP_INTENTS COLLECT_INPUTS_APPLICATION_ERROR
    COLLECT_INPUTS_TIMED_OUT COLLECT_INPUTS_INVALID_PARAMETER COLLECT_INPUTS_UNSUPPORTED
    INVALID_SURCHARGE_PARAMETER SURCHARGE_NOTICE_NOT_AVAILABLE
    AMOUNT_SURCHARGE_REQUIRES_UPDATE_PAYMENT_INTENT ALLOW_REDISPLAY_INVALID PRINTER_BUSY
    PRINTER_PAPERJAM PRINTER_OUT_OF_PAPER PRINTER_COVER_OPEN PRINTER_ABSENT PRINTER_UNAVAILABLE
    PRINTER_ERROR PRINTER_LOW_BATTERY BARCODE_SCANNER_UNAVAILABLE
    BARCODE_REQUESTED_SCANNER_NOT_FOUND BARCODE_SCANNING_UNSUPPORTED_DEVICE`,
  shop: 'FEATURE_NOT_ENABLED_ON_ACCOUNT NO_LAST_SEEN_ACCOUNT',
};

/** The trouble of each code. */
export const troubleByCode: ReadonlyMap<string, Trouble> = new Map(
  Object.entries(troubles).flatMap(([name]) => {
    const trouble = name as Trouble; // cast: the keys of `troubles` are all troubles
    const listed = codes[trouble]?.split(/\s+/) ?? [];
    return listed.map((code) => [code, trouble] as const);
  }),
);

/**
 * iOS reports the entitlement, a phone call, the device and the passcode under one code. Its native name
 * or number decides.
 */
const natives: readonly (readonly [RegExp, Trouble])[] = [
  [/\b2930\b|commandNotAllowedDuringCall/i, 'call'],
  // Also comes to an app that has the entitlement, when it returns from the background.
  [/\b2900\b|commandNotAllowed\b/i, 'restart'],
  [/\b(2960|2970|3930|3940)\b|TOS/, 'terms'],
  [/\b(3920|3950|3970)\b|DeviceBanned|AccountDeactivated/i, 'blocked'],
  [/\b2920\b|passcodeNotEnabled/i, 'passcode'],
  [/\b2910\b|unsupportedMobileDevice/i, 'device'],
  [/\b9060\b|sessionExpired/i, 'disconnected'],
  [/\b(2950|3960)\b|invalidCurrency|invalidMerchant/i, 'shop'],
];

/** Some codes say less than their message. */
const messages: readonly (readonly [RegExp, Trouble])[] = [
  // The SDK sends requests without its session. Its code is that of a declined card.
  [/did not provide an API key/, 'restart'],
  [/Expired API Key/, 'disconnected'],
  // Android runs the reader in a process of its own, which crashed.
  [/AidlRpc/, 'disconnected'],
  // A disconnection made the SDK forget the payment, which the next round retrieves again.
  [/retrievePaymentIntent/, 'failed'],
];

/** The bridge's own, because the SDK says nothing before the connection ends. */
export const isSettingUp: SdkError = {
  code: 'REQUEST_TIMED_OUT',
  message: 'The first connection is still setting up the phone.',
};

export function troubleOf(error: SdkError): Trouble {
  const { code, message, nativeErrorCode, underlyingError, apiError } = error;
  const names = [nativeErrorCode, underlyingError?.code].join(' ');
  const native = natives.find(([pattern]) => pattern.test(names));
  const [, told] = native ?? messages.find(([pattern]) => pattern.test(message)) ?? [];
  if (error === isSettingUp) return 'setup';
  if (told !== undefined) return told;
  const trouble = troubleByCode.get(code) ?? 'unknown';
  // Stripe refused the request, and no card.
  const isRefused = trouble === 'declined' && !/card_error/i.test(apiError?.type ?? 'card_error');
  return isRefused ? 'failed' : trouble;
}
