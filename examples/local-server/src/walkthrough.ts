import { people } from './demo-data.ts';

/**
 * A full payment in curl commands, which bash can run as one block, any number of times. The first
 * `"id"` of a response is its own.
 */
export function walkthrough(url: string, isSimulated = true): string {
  return `
URL=${url}
AUTH='Authorization: Bearer ${people.barber.token}'
JSON='Content-Type: application/json'
first() { grep -o "\\"$1\\":\\"[^\\"]*\\"" | head -n 1 | cut -d '"' -f 4; }

echo '1. Ada cuts hair for 45.00'
APPOINTMENT=$(curl -sS "$URL/demo/appointments" -H "$JSON" -d '{"amountDue":"45.00"}' | first id)
echo "$APPOINTMENT"

echo '2. She registers her phone as a terminal'
TERMINAL=$(curl -sS "$URL/terminals" -H "$AUTH" -H "$JSON" \\
  -d '{"platform":"ios","deviceIdentifier":"phone of '"$APPOINTMENT"'","deviceModel":"iPhone14,5"}' | first id)
echo "$TERMINAL"

echo '3. Its SDK opens a session with a connection token'
curl -sS -X POST "$URL/terminals/$TERMINAL/connectionTokens" -H "$AUTH"; echo

echo '4. She opens a payment of all that is owed'
PAYMENT=$(curl -sS -X POST "$URL/appointments/$APPOINTMENT/contactlessPayments" \\
  -H "$AUTH" -H "Idempotency-Key: create $APPOINTMENT")
echo "$PAYMENT"

echo '5. The customer taps a card'
${isSimulated ? simulatedTap : stripeTap}

echo '6. The payment is captured'
curl -sS "$URL/contactlessPayments/$(echo "$PAYMENT" | first id)/captured" \\
  -H "$AUTH" -H "$JSON" -H "Idempotency-Key: capture $APPOINTMENT" \\
  -d '{"externalPaymentReference":{"id":"'"${isSimulated ? '$(echo "$TAP" | first id)' : '$INTENT'}"'","paymentProcessor":"processor_a"}}'; echo

echo '7. The appointment is paid'
curl -sS "$URL/appointments/$APPOINTMENT/contactlessPayments" -H "$AUTH"; echo
`.trim();
}

const simulatedTap = `
TAP=$(curl -sS "$URL/demo/taps" -H "$JSON" \\
  -d '{"clientSecret":"'"$(echo "$PAYMENT" | first clientSecret)"'","card":"visa_credit"}')
echo "$TAP"
`.trim();

/** Uses a reader that Stripe simulates; docs/guide/stripe.md says how to create one. */
const stripeTap = `
INTENT=$(echo "$PAYMENT" | first clientSecret); INTENT=\${INTENT%_secret_*}
stripe terminal readers process_payment_intent "$READER" --payment-intent="$INTENT" --stripe-account="$STRIPE_ACCOUNT"
stripe test_helpers terminal readers present_payment_method "$READER" --stripe-account="$STRIPE_ACCOUNT"
`.trim();

export interface Greeting {
  readonly url: string;
  /** Where the records are. */
  readonly place: string;
  /** A line about the processor. */
  readonly about: string;
  readonly isSimulated: boolean;
}

/** The server's output when it listens. */
export function greeting({ url, place, about, isSimulated }: Greeting): string {
  const isKept = place !== 'memory';
  const width = Math.max(...Object.values(people).map(({ token }) => token.length));
  const tokens = Object.values(people).map(({ token, is }) => `  ${token.padEnd(width)}  ${is}`);
  const howTo = isSimulated
    ? 'paste it into bash'
    : "set READER and STRIPE_ACCOUNT, log in to Stripe's CLI, and paste it into bash";
  return `Chairside listens on ${url}
${about}
Records are in ${place}.

Who may log in (Authorization: Bearer <token>):
${tokens.join('\n')}

The till:              open ${url} in a browser
All demo data as JSON: curl ${url}/demo
The API reference:     ${url}/docs
Over PostgreSQL:       CHAIRSIDE_POSTGRES=postgres://user@127.0.0.1:5432/name npx --yes pnpm start

A card payment from beginning to end; ${howTo}:

${walkthrough(url, isSimulated)}

Ctrl-C ends the server. What it knows is ${isKept ? 'still there at the next start' : 'gone then'}.`;
}
