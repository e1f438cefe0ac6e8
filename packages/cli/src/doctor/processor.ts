import { hourMs, ok } from '@chairside/core';
import type { ProcessorError, ProcessorFinding } from '@chairside/core/ports';
import { asked } from '../at-processor.ts';
import type { Context } from '../command.ts';
import { processorText } from '../words.ts';
import { type Finding, unread } from './finding.ts';

/** So many books are asked, those that were tried longest ago first. */
const mostBooks = 20;

/** The key, the accounts and the way of messages. */
export async function checkProcessor(context: Context): Promise<readonly Finding[]> {
  const { chairside, opened } = context;
  if (opened.isReadOnly) {
    const found = 'Not asked: --sqlite only reads the file.';
    return [{ level: 'ok', about: 'Processor', found }];
  }
  const { store } = chairside.ports;
  const listed = await store.sweeps.listStale(Number.MAX_SAFE_INTEGER, mostBooks);
  if (listed.isErr()) return unread('Processor', listed.error);
  const { accounts, findings } = await checkBusinesses(context);
  const others = listed.value.map(({ books }) => books).filter((one) => !accounts.has(one));
  for (const books of others) {
    const found = 'Its payments can be read.';
    findings.push(await readBooks(context, `Account ${books}`, books, found));
  }
  // With a rejected key every account looks the same.
  const key = findings.find(({ about }) => about === 'Key');
  if (key !== undefined) return [key];
  findings.push(...(await diagnosed(context, 'Messages')));
  if (findings.length > 0) return findings;
  const nothing = 'No payment was taken yet, and the configuration names no businesses to check.';
  return [{ level: 'ok', about: 'Processor', found: nothing }];
}

/** Whether the payments in these books can be read; `found` says so. */
async function readBooks(
  { chairside }: Context,
  about: string,
  books: string,
  found: string,
): Promise<Finding> {
  const { processor, clock, installation } = chairside.ports;
  const now = clock.now();
  const span = { installation, openedFrom: now - hourMs, openedBefore: now, limit: 1 };
  const read = await asked(() => processor.listPayments({ books, ...span }));
  return read.isOk() ? { level: 'ok', about, found } : failing(about, read.error);
}

function failing(about: string, error: ProcessorError): Finding {
  const found = processorText(error);
  if (error.kind === 'unavailable' && error.why === 'keyRejected') {
    return {
      level: 'error',
      about: 'Key',
      found,
      action: 'Put a valid key into the configuration, and restart every process.',
    };
  }
  if (error.kind === 'notSetUp') {
    return {
      level: 'error',
      about,
      found,
      action:
        'Connect it again, or give its business another one. Payments of unknown outcome become reviews.',
    };
  }
  return {
    level: error.kind === 'rateLimited' ? 'warning' : 'error',
    about,
    found,
    action: "Look at the processor's status page and at the way out of this network.",
  };
}

/** Those that the configuration names, and which accounts they have. */
async function checkBusinesses(context: Context) {
  const { store } = context.chairside.ports;
  const findings: Finding[] = [];
  const accounts = new Set<string>();
  for (const id of context.opened.businesses ?? []) {
    const about = `Business ${id}`;
    const read = await store.businesses.get(id);
    if (read.isErr()) {
      findings.push(...unread(about, read.error));
      continue;
    }
    const account = read.value?.processorAccount;
    if (account === undefined) {
      findings.push({
        level: 'warning',
        about,
        found:
          read.value === undefined
            ? 'It has no record here.'
            : 'It has no account, so it cannot take cards.',
        action: 'Store it with its account at the processor.',
      });
      continue;
    }
    accounts.add(account.id);
    const told = await diagnosed(context, about, account);
    findings.push(...told);
    if (told.length > 0) continue;
    const found = `Its payments in ${account.id} can be read.`;
    findings.push(await readBooks(context, about, account.id, found));
  }
  return { accounts, findings };
}

/** What the adapter itself says; nothing if it cannot tell. */
async function diagnosed(
  { chairside }: Context,
  about: string,
  ...account: Parameters<NonNullable<Context['chairside']['ports']['processor']['diagnose']>>
): Promise<readonly Finding[]> {
  const { processor } = chairside.ports;
  if (processor.diagnose === undefined) return [];
  const told = await asked<readonly ProcessorFinding[]>(
    async () => (await processor.diagnose?.(...account)) ?? ok([]),
  );
  if (told.isErr()) return [failing(about, told.error)];
  return told.value.map((one) => ({ about, ...one }));
}
