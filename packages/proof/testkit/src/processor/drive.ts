import { err, ok, type Result, ResultAsync } from '@chairside/core';
import type { Processor, ProcessorError } from '@chairside/core/ports';
import type {
  DrivenCall,
  DrivenFault,
  DrivenProcessor,
  MaybePromise,
  ProcessorControls,
  WireFault,
} from './simulated.ts';

/** The members of a request that the driver reads. */
interface Request {
  readonly account?: string;
  readonly idempotencyKey?: string;
}

type Ask<T> = () => ResultAsync<T, ProcessorError>;

/** Sends a call whose caller gets no reply. */
const sendUnheard = async (ask: Ask<unknown>) => (await ask()).isOk();

/**
 * Makes an adapter drivable, for `describeOperations` and `simulate`. The driver counts, delays and
 * abandons calls; the controls act at the processor. The adapter is copied: bind a class's methods.
 */
export function driveProcessor(adapter: Processor, controls: ProcessorControls): DrivenProcessor {
  const counts = new Map<DrivenCall, number>();
  const faults = new Map<DrivenCall, DrivenFault[]>();
  /** By key, the failures that the driver answered in place of the adapter. */
  const failures = new Map<string, ProcessorError>();
  const disabled = new Set<string>();
  const rejectedLocations = new Set<string>();
  let held: (() => void)[] = [];
  let abandoned: Ask<unknown>[] = [];
  const { charges, refunds } = adapter;
  const all = {
    ...defaults,
    enableAccount(account: string, isEnabled: boolean): MaybePromise<void> {
      if (isEnabled) disabled.delete(account);
      else disabled.add(account);
    },
    rejectLocation(terminalLocation: string): MaybePromise<void> {
      rejectedLocations.add(terminalLocation);
    },
    ...controls,
  };

  /** An act of the controls; an error where it is impossible. */
  const tried =
    <Args extends readonly unknown[]>(act: (...args: Args) => MaybePromise<unknown> = impossible) =>
    (...args: Args) =>
      attempt(() => act.call(controls, ...args));

  const released = () => new Promise<void>((resume) => held.push(resume));

  function call<T>(
    name: DrivenCall,
    request: Request,
    ask: Ask<T>,
  ): ResultAsync<T, ProcessorError> {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return new ResultAsync(travel(name, request, ask));
  }

  async function travel<T>(
    name: DrivenCall,
    { account = '', idempotencyKey }: Request,
    ask: Ask<T>,
  ): Promise<Result<T, ProcessorError>> {
    const fault = faults.get(name)?.shift();
    if (fault === 'slow') await released();
    const key = idempotencyKey && `${name} ${account} ${idempotencyKey}`;
    const failure = failures.get(key ?? '');
    if (failure !== undefined) return err(failure);
    if (disabled.has(account)) return err({ kind: 'notSetUp' });
    if (fault === 'landsLater') {
      abandoned.push(ask);
      return err(unanswered);
    }
    if (isWireFault(fault) && !(await all.fault(name, fault))) {
      const { error, isApplied = false, stored } = wireFaults[fault];
      if (isApplied) await sendUnheard(ask);
      if (stored !== undefined && key !== undefined) failures.set(key, stored);
      return err(error);
    }
    const answer = await ask();
    if (fault === 'slowReply') await released();
    return answer;
  }

  return {
    ...adapter,
    ...controls,
    openPayment: (request) => call('openPayment', request, () => adapter.openPayment(request)),
    readPayment: (payment, claimed) =>
      call('readPayment', { account: payment.account }, () =>
        adapter.readPayment(payment, claimed),
      ),
    capturePayment: (request) =>
      call('capturePayment', request, () => adapter.capturePayment(request)),
    cancelPayment: (request) =>
      call('cancelPayment', request, () => adapter.cancelPayment(request)),
    createConnectionToken: (request) =>
      call('createConnectionToken', request, () =>
        rejectedLocations.has(request.terminalLocation ?? '')
          ? new ResultAsync(Promise.resolve(err(scripted)))
          : adapter.createConnectionToken(request),
      ),
    openSetup: (request) => call('openSetup', request, () => adapter.openSetup(request)),
    cancelSetup: (request) => call('cancelSetup', request, () => adapter.cancelSetup(request)),
    ...(charges && {
      charges: {
        authorize: (request) => call('authorizeMethod', request, () => charges.authorize(request)),
      },
    }),
    refunds: {
      ...refunds,
      refund: (request) => call('refund', request, () => refunds.refund(request)),
    },

    setups: () => all.setups(),
    presentCard: (clientSecret, card) =>
      attempt(async () => ({
        externalPaymentReference: { id: await all.presentCard(clientSecret, card) },
      })),
    completeSetup: (clientSecret, card = 'visa_credit') =>
      attempt(async () => ({ status: await all.completeSetup(clientSecret, card) })),
    takeEvents: () => attempt(() => all.takeEvents()),
    signEvent: (payload) => all.signEvent(payload),
    refund: tried(controls.refund),
    dispute: tried(controls.dispute),
    endRefund: tried(controls.endRefund),
    inquire: tried(controls.inquire),
    reopenDispute: tried(controls.reopenDispute),
    withholdDispute: tried(controls.withholdDispute),
    closeDispute: tried(controls.closeDispute),
    endCapture: tried(controls.endCapture),
    failPayout: tried(controls.failPayout),
    disableAccount: (account) => all.enableAccount(account, false),
    enableAccount: (account) => all.enableAccount(account, true),
    rejectLocation: (terminalLocation) => all.rejectLocation(terminalLocation),

    failNext(name, fault, times = 1) {
      const more = Array.from({ length: times }, () => fault);
      faults.set(name, [...(faults.get(name) ?? []), ...more]);
    },
    count: (name) => ({ made: counts.get(name) ?? 0 }),
    release() {
      const waiting = held;
      held = [];
      for (const resume of waiting) resume();
      return waiting.length;
    },
    async landAbandoned() {
      const landing = abandoned;
      abandoned = [];
      await Promise.all(landing.map(sendUnheard));
      return landing.length;
    },
  };
}

const unanswered: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };
const failed: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: true };
const refused: ProcessorError = { kind: 'unavailable', outcome: 'notApplied', answered: false };
const scripted: ProcessorError = { kind: 'rejected', reason: 'scripted' };

interface InPlace {
  readonly error: ProcessorError;
  readonly isApplied?: boolean;
  /** Returned again under the same key. */
  readonly stored?: ProcessorError;
}

/** The answers in place of the adapter, for faults that the processor cannot have on demand. */
const wireFaults: Readonly<Record<WireFault, InPlace>> = {
  timeoutBeforeApplying: { error: unanswered },
  timeoutAfterApplying: { error: unanswered, isApplied: true },
  lostReply: { error: unanswered, isApplied: true },
  refused: { error: refused },
  rateLimited: { error: { kind: 'rateLimited' } },
  notSetUp: { error: { kind: 'notSetUp' }, stored: { kind: 'notSetUp', repeated: true } },
  failure: { error: failed, stored: failed },
  failureAfterApplying: { error: failed, isApplied: true, stored: failed },
  rejected: { error: scripted, stored: scripted },
};

function isWireFault(fault: DrivenFault | undefined): fault is WireFault {
  return fault !== undefined && Object.hasOwn(wireFaults, fault);
}

function impossible(): never {
  throw new Error('the controls have no such action');
}

const defaults = {
  setups: () => [],
  completeSetup: impossible,
  takeEvents: () => [],
  signEvent: impossible,
  fault: () => false,
} satisfies Partial<ProcessorControls>;

/** Actions that are impossible throw. */
async function attempt<T>(act: () => MaybePromise<T>): Promise<Result<T, string>> {
  try {
    return ok(await act());
  } catch (error) {
    return err(String(error));
  }
}
