import { err, ok, type ProcessorAccount, type ResultAsync, safeTry } from '@chairside/core';
import type { ProcessorFinding } from '@chairside/core/ports';
import Stripe from 'stripe';
import { type AccountObstacle, checkAccount } from './account.ts';
import type { Call } from './connection.ts';
import { stripeEventTypes } from './events.ts';
import { type Failure, isKeyRejected } from './failure.ts';
import { believe, type WebhookEndpoint, webhookEndpointsShape } from './shapes.ts';

/** Looks for what a person has to mend at Stripe: of an account, or of the endpoint that gets the messages. */
export function diagnose(
  call: Call,
  account?: ProcessorAccount,
): ResultAsync<readonly ProcessorFinding[], Failure> {
  return account === undefined ? findEndpoint(call) : findObstacles(call, account);
}

type Failing = Pick<ProcessorFinding, 'found' | 'action'>;

function findObstacles(
  call: Call,
  account: ProcessorAccount,
): ResultAsync<readonly ProcessorFinding[], Failure> {
  return checkAccount(call, account).map(({ obstacles, warnings, country }) => {
    const where = country === undefined ? '' : ` in ${country}`;
    const errors = obstacles.map((obstacle) => ({ level: 'error', ...textOf(obstacle) }) as const);
    const well: ProcessorFinding = { level: 'ok', found: `It can take cards in person${where}.` };
    return [
      ...(errors.length > 0 ? errors : [well]),
      ...warnings.map(
        ({ why }): ProcessorFinding => ({
          level: 'warning',
          found: `Stripe pays nothing out of it${why === undefined ? '' : `: ${why}`}.`,
          action:
            'The business corrects its bank account, or what else Stripe asks for, in its Dashboard.',
        }),
      ),
    ];
  });
}

function textOf(obstacle: AccountObstacle): Failing {
  switch (obstacle.kind) {
    case 'keyRejected':
      return {
        found: 'Stripe rejects the secret key, or the key may not read accounts.',
        action: 'Put a valid key into the configuration, and restart every process.',
      };
    case 'noAccess':
      return {
        found: 'The key has no access to this account, or the account does not exist.',
        action: 'Connect the account again, or give the business another one.',
      };
    case 'chargesDisabled':
      return {
        found: `Stripe has disabled its payments${obstacle.why === undefined ? '' : `: ${obstacle.why}`}.`,
        action: 'The business completes what Stripe asks for in its Dashboard.',
      };
    case 'cardPaymentsInactive':
      return {
        found: 'Its capability card_payments is not active.',
        action: 'Request the capability, and have the business complete what Stripe asks for.',
      };
    case 'transfersInactive':
      return {
        found: 'Its capability transfers, which destination charges need, is not active.',
        action: 'Request the capability, and have the business complete what Stripe asks for.',
      };
    case 'currencyUnsupported':
      return {
        found: 'The currency of the business does not have two decimals.',
        action: 'Give the business a currency with two decimals.',
      };
    case 'currencyNotLocal':
      return {
        found: `Terminals in its country take only ${obstacle.local}.`,
        action: `Give the business the currency ${obstacle.local}.`,
      };
    case 'locationMissing':
      return {
        found: 'The business has no terminal location, so no phone can connect.',
        action: 'Create a location at Stripe, and store it with the business.',
      };
    case 'locationUnknown':
      return {
        found: 'The account has no such terminal location.',
        action: 'Create a location at Stripe, and store it with the business.',
      };
    case 'locationDeleted':
      return {
        found: 'The terminal location of the business was deleted at Stripe.',
        action: 'Create a location at Stripe, and store it with the business.',
      };
    case 'locationAbroad':
      return {
        found: `The account is in ${obstacle.account}, and its terminal location in ${obstacle.location}.`,
        action: "Create a location in the account's country.",
      };
  }
}

const unreadable: ProcessorFinding = {
  level: 'warning',
  found: 'Stripe rejects the secret key, or the key may not read webhook endpoints.',
  action: 'Check the key, and allow it to read webhook endpoints.',
};
const mostEndpoints = 100;

/** Which endpoint is ours cannot be told by its address, so one that fits is enough. */
function findEndpoint(call: Call): ResultAsync<readonly ProcessorFinding[], Failure> {
  return safeTry<readonly ProcessorFinding[], Failure>(async function* () {
    const reply = yield* call.send((stripe, options) =>
      stripe.webhookEndpoints.list({ limit: mostEndpoints }, options),
    );
    const { data } = yield* believe(webhookEndpointsShape, reply);
    return ok(judge(call, data));
  }).orElse((failure) => (isKeyRejected(failure) ? ok([unreadable]) : err(failure)));
}

function judge(call: Call, all: readonly WebhookEndpoint[]): readonly ProcessorFinding[] {
  if (call.webhookSecrets.length === 0) {
    return [
      {
        level: 'warning',
        found: 'No webhook secret is configured, so every message is rejected.',
        action:
          "Put the endpoint's secret into the configuration. Until then upkeep finishes payments.",
      },
    ];
  }
  const endpoints = all.filter(({ enabled_events }) => wanted(enabled_events).length > 0);
  if (endpoints.length === 0) {
    return [
      {
        level: 'warning',
        found: 'No webhook endpoint at Stripe gets messages about payments.',
        action: 'Add one, as the guide to Stripe shows. Until then upkeep alone finishes payments.',
      },
    ];
  }
  const judged = endpoints.map((endpoint) => ({ endpoint, faults: faultsOf(call, endpoint) }));
  const good = judged.find(({ faults }) => faults.length === 0);
  if (good !== undefined) {
    const { url, api_version: version } = good.endpoint;
    return [{ level: 'ok', found: `${url} gets the messages, in API version ${version}.` }];
  }
  return judged.flatMap(({ faults }) => faults);
}

function wanted(events: readonly string[]): readonly string[] {
  return events.includes('*')
    ? stripeEventTypes
    : stripeEventTypes.filter((type) => events.includes(type));
}

function faultsOf(
  { charges }: Call,
  { url, status, enabled_events, api_version, application }: WebhookEndpoint,
) {
  const faults: ProcessorFinding[] = [];
  const add = (level: 'warning' | 'error', found: string, action: string) =>
    faults.push({ level, found: `${url} ${found}`, action });
  if (status !== 'enabled') {
    add('warning', 'is disabled at Stripe.', 'Enable it, after its errors are mended.');
  }
  // Only an endpoint for connected accounts seems to have an application. Stripe does not document it, so a person looks.
  if (application !== undefined && (application === null) === (charges === 'direct')) {
    const needed = charges === 'direct' ? 'connected accounts' : "the platform's own account";
    add(
      'warning',
      `does not seem to listen to ${needed}, and ${charges} charges need that.`,
      'Look at it under Developers → Webhooks. If it does not, add an endpoint that does.',
    );
  }
  // Releases within one major version only add members, and messages of another are rejected.
  if (api_version?.split('.')[1] !== Stripe.MAJOR_API_VERSION) {
    const version = api_version ?? "the account's default version";
    add(
      'error',
      `sends messages in ${version}, and ${Stripe.API_VERSION} is needed.`,
      'Add an endpoint with that API version, and remove this one.',
    );
  }
  const known = wanted(enabled_events);
  const missing = stripeEventTypes.filter((type) => !known.includes(type));
  if (missing.length > 0) {
    add('warning', `does not get ${missing.join(', ')}.`, 'Add these types to the endpoint.');
  }
  return faults;
}
