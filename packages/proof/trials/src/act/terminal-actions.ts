import type { Problem, ResultAsync } from '@chairside/core';
import type { Answer } from '../check/request-log.ts';
import type { Does } from '../plan/action.ts';
import { exchange, gaveUp } from './exchange.ts';
import { type Run, type Service, toAnswer } from './run.ts';
import { terminalSenderOf } from './shop.ts';

export async function register(run: Run, action: Does<'register'>): Promise<Answer | undefined> {
  const { id, barber, device } = action;
  const auth = terminalSenderOf(barber, 'self');
  const service = run.serve(id);
  const sender = { action: id, as: 'self', subject: auth.subject } as const;
  const what = { ...sender, operation: 'register', asked: `register ${device}`, device } as const;
  const input = { body: { platform: 'ios', deviceIdentifier: device } } as const;
  return exchange(run, service, what, () =>
    toAnswer(
      service.chairside.registerTerminal(auth, input).map((terminal) => {
        run.terminals.set(`${barber} ${device}`, terminal.id);
        return terminal;
      }),
      201,
    ),
  );
}

/** A barber's actions with one terminal, even after its removal. */
export async function useTerminal(
  run: Run,
  action: Does<'useTerminal'>,
): Promise<Answer | undefined> {
  const { id, how, barber, device, as = 'self' } = action;
  const terminalId = run.terminals.get(`${barber} ${device}`);
  if (terminalId === undefined) return gaveUp;
  const auth = terminalSenderOf(barber, as);
  const service = run.serve(id);
  const what = {
    action: id,
    operation: how,
    as,
    subject: auth.subject,
    asked: `${how} ${terminalId}`,
    terminal: terminalId,
  } as const;
  const { use, success } = uses[how];
  return exchange(run, service, what, () => toAnswer(use(service, auth, { terminalId }), success));
}

interface Use {
  readonly success: number;
  readonly use: (
    service: Service,
    auth: ReturnType<typeof terminalSenderOf>,
    input: { readonly terminalId: string },
  ) => ResultAsync<unknown, Problem>;
}

const uses: Readonly<Record<Does<'useTerminal'>['how'], Use>> = {
  getTerminal: {
    success: 200,
    use: ({ chairside }, auth, input) => chairside.getTerminal(auth, input),
  },
  unregister: {
    success: 204,
    use: ({ chairside }, auth, input) => chairside.deleteTerminal(auth, input),
  },
  token: {
    success: 201,
    use: ({ chairside }, auth, input) => chairside.createTerminalConnectionToken(auth, input),
  },
};

export async function listTerminals(
  run: Run,
  { id, barber }: Does<'listTerminals'>,
): Promise<Answer | undefined> {
  const auth = terminalSenderOf(barber, 'self');
  const service = run.serve(id);
  const sender = { action: id, as: 'self', subject: auth.subject } as const;
  const what = { ...sender, operation: 'listTerminals', asked: 'terminals' } as const;
  return exchange(run, service, what, () => toAnswer(service.chairside.listTerminals(auth), 200));
}

export async function release(run: Run, action: Does<'release'>): Promise<Answer | undefined> {
  const { id, device, as = 'self' } = action;
  const businessIds = as === 'self' ? ['shop'] : as === 'other' ? ['another'] : [];
  const auth = { subject: `user-owner-${as}`, businessIds };
  const service = run.serve(id);
  const sender = { action: id, as, subject: auth.subject } as const;
  const what = { ...sender, operation: 'release', asked: `release ${device}`, device } as const;
  return exchange(run, service, what, () =>
    toAnswer(service.chairside.releaseTerminal(auth, { deviceIdentifier: device }), 204),
  );
}
