import type { Action } from '../plan/action.ts';
import { changeAtProcessor } from './change-at-processor.ts';
import { charge, enter, prepare, readSetup, withdraw } from './charge-actions.ts';
import { insist, taps } from './exchange.ts';
import { askOffice, change } from './host-actions.ts';
import { cancel, capture, create, intrude, present, read, receipt } from './payment-actions.ts';
import { excess, giveBack, readRefunds, refund, tender, voidTender } from './refund-actions.ts';
import type { Run } from './run.ts';
import { listTerminals, register, release, useTerminal } from './terminal-actions.ts';
import { deliver, notify, reconcile } from './upkeep.ts';

/** Carries an action out to its end. */
export async function act(run: Run, action: Action): Promise<void> {
  switch (action.does) {
    case 'create':
      return taps(action, () => insist(run, action, () => create(run, action)));
    case 'capture':
      return taps(action, () => insist(run, action, () => capture(run, action)));
    case 'present':
      return present(run, action);
    case 'cancel':
      return insist(run, action, () => cancel(run, action));
    case 'read':
      return read(run, action);
    case 'raise':
    case 'setDue':
    case 'remove':
    case 'book':
    case 'miss':
    case 'rebook':
    case 'merge':
    case 'erase':
    case 'move':
    case 'setRole':
    case 'setAccount':
    case 'setFee':
    case 'forgetCustomer':
      return change(run, action);
    case 'intrude':
      return intrude(run, action);
    case 'receipt':
      return insist(run, action, () => receipt(run, action));
    case 'office':
      return insist(run, action, () => askOffice(run, action));
    case 'notify':
      return notify(run, action.id, action.disorder);
    case 'deliver':
      await deliver(run, action.id, action.refuses);
      return;
    case 'reconcile':
      await reconcile(run, action.id);
      return;
    case 'changeAtProcessor':
      return changeAtProcessor(run, action);
    case 'refund':
      return taps(action, () => insist(run, action, () => refund(run, action)));
    case 'excess':
      return taps(action, () => insist(run, action, () => excess(run, action)));
    case 'tender':
      return taps(action, () => insist(run, action, () => tender(run, action)));
    case 'giveBack':
      return taps(action, () => insist(run, action, () => giveBack(run, action)));
    case 'voidTender':
      return insist(run, action, () => voidTender(run, action));
    case 'loseAccount':
      run.evidence.lost.add(action.account);
      return;
    case 'readRefunds':
      return readRefunds(run, action);
    case 'prepare':
      return taps(action, () => insist(run, action, () => prepare(run, action)));
    case 'enter':
      return enter(run, action);
    case 'readSetup':
      return insist(run, action, () => readSetup(run, action));
    case 'charge':
      return taps(action, () => insist(run, action, () => charge(run, action)));
    case 'withdraw':
      return insist(run, action, () => withdraw(run, action));
    case 'register':
      return insist(run, action, () => register(run, action));
    case 'listTerminals':
      return insist(run, action, () => listTerminals(run, action));
    case 'useTerminal':
      return insist(run, action, () => useTerminal(run, action));
    case 'release':
      return insist(run, action, () => release(run, action));
  }
}
