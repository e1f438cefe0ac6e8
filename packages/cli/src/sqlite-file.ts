import { type Chairside, createChairside, err, errAsync, ok, type Result } from '@chairside/core';
import type { Processor, Store } from '@chairside/core/ports';

/**
 * Opens a database to look at it. Nothing is written, and no processor is asked.
 * @param onFault receives what of the file cannot be read.
 */
export async function readFile(
  path: string,
  onFault: (error: unknown) => void,
): Promise<Result<Chairside, string>> {
  const loaded = await import('@chairside/sqlite').catch(() => undefined);
  if (loaded === undefined) {
    return err('Install @chairside/sqlite and better-sqlite3 to look at a file with --sqlite.');
  }
  // While it opens, the store tells on which disk the file lies, and a backup may lie anywhere.
  let isOpen = false;
  const onError = (error: unknown) => isOpen && onFault(error);
  const opened = loaded.readSqliteStore(path, { onError });
  if (opened.isErr()) return err(`${opened.error.message}.`);
  isOpen = true;
  return ok(lookOn(opened.value, await installationOf(opened.value)));
}

/** The file remembers the installation that it belongs to, and Chairside refuses another. */
async function installationOf(store: Store): Promise<string | undefined> {
  const told = await store.facts.get(world).map((fact): unknown => JSON.parse(fact?.text ?? '{}'));
  const installation: unknown = Reflect.get(Object(told.unwrapOr({})), 'installation');
  return typeof installation === 'string' ? installation : undefined;
}

const world = 'world';
const anyone = 'chairside';

function lookOn(store: Store, installation = anyone): Chairside {
  // A file without a mark would get one with the first operation, and nothing may be written.
  const text = JSON.stringify({ installation });
  const marked = (name: string) =>
    store.facts
      .get(name)
      .map((fact) => fact ?? (name === world ? { name, version: 1, text } : undefined));
  const facts = { ...store.facts, get: marked };
  return createChairside({ store: { ...store, facts }, processor: noProcessor, installation });
}

const refuse = () =>
  errAsync({ kind: 'unavailable', outcome: 'notApplied', answered: false } as const);

const noProcessor: Processor = {
  deadlineMs: 1000,
  openPayment: refuse,
  readPayment: refuse,
  capturePayment: refuse,
  cancelPayment: refuse,
  createConnectionToken: refuse,
  listPayments: refuse,
  readReceipt: refuse,
  openSetup: refuse,
  readSetup: refuse,
  cancelSetup: refuse,
  refunds: { refund: refuse, list: refuse, listRecent: refuse },
  disputes: { list: refuse, listRecent: refuse },
  parseEvent: refuse,
};
