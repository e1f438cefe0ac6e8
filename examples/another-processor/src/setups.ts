import { err, ok, type Result } from '@chairside/core';
import {
  type CancelSetupRequest,
  type OpenSetupRequest,
  type ProcessorError,
  type ProcessorSetup,
  type SetupHandle,
  unknownCustomer,
} from '@chairside/core/ports';
import * as v from 'valibot';
import { type Call, rejected, unknown } from './connection.ts';
import { text, time } from './shapes.ts';

const vaultShape = v.object({
  id: text,
  number: text,
  source: text,
  token: text,
  state: v.picklist(['open', 'completed', 'canceled']),
  method: v.nullable(text),
  completed_at: v.nullable(time),
});
const vaultsShape = v.object({ vaults: v.array(vaultShape) });
type Vault = v.InferOutput<typeof vaultShape>;

type Answer<T> = Promise<Result<T, ProcessorError>>;

export async function openSetup(call: Call, request: OpenSetupRequest): Answer<ProcessorSetup> {
  const { setupId, installation, customerId, savePaymentMethod, idempotencyKey } = request;
  const body = {
    number: setupId,
    source: installation,
    customer: customerId,
    reusable: savePaymentMethod,
  };
  const question = { method: 'POST', path: '/vaults', body, requestId: idempotencyKey } as const;
  const asked = await call.ask(question, vaultShape);
  if (asked.isOk()) {
    return isOf(asked.value.value, request) ? ok(toSetup(asked.value.value)) : err(unknown);
  }
  const { error } = asked;
  const isGone = error.kind === 'rejected' && error.reason === 'unknown_customer';
  return err(isGone ? rejected(unknownCustomer) : error);
}

export async function readSetup(
  call: Call,
  setup: SetupHandle,
): Answer<ProcessorSetup | undefined> {
  const query = { number: setup.setupId, source: setup.installation };
  const asked = await call.ask({ method: 'GET', path: '/vaults', query }, vaultsShape);
  return asked.map(({ value, at }) => {
    const ours = value.vaults.filter((vault) => isOf(vault, setup));
    const best = ours.find(({ state }) => state === 'completed') ?? ours.at(-1);
    return best && toSetup(best, at);
  });
}

export async function cancelSetup(
  call: Call,
  request: CancelSetupRequest,
): Answer<ProcessorSetup | undefined> {
  const seen = await readSetup(call, request);
  if (seen.isErr() || seen.value === undefined) return seen;
  if (seen.value.status === 'completed') return err(rejected('alreadyCompleted'));
  if (seen.value.status === 'canceled') return seen;
  const path = `/vaults/${encodeURIComponent(seen.value.reference)}/cancelation`;
  const asked = await call.ask({ method: 'POST', path, body: {} }, vaultShape);
  if (asked.isErr()) return err(asked.error);
  const vault = asked.value.value;
  const isMeant = vault.state === 'canceled' && isOf(vault, request);
  return isMeant ? ok(toSetup(vault)) : err(unknown);
}

function isOf({ id, number, source }: Vault, setup: SetupHandle): boolean {
  const { setupId, installation, reference = id } = setup;
  return number === setupId && source === installation && id === reference;
}

function toSetup({ id, token, state, method, completed_at }: Vault, at?: number): ProcessorSetup {
  return {
    reference: id,
    clientSecret: token,
    status: state,
    ...(method !== null && { paymentMethod: method }),
    ...(completed_at !== null && { completedAt: completed_at }),
    ...(at !== undefined && { at }),
  };
}
