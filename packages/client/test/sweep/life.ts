import {
  type AlsoPays,
  type ClientOptions,
  type Collected,
  createClient,
  createRegister,
  type Fetch,
  type Journal,
  type Reader,
  type Taking,
  type Time,
} from '../../src/index.ts';

/** The events in order, for the verdict at the end. */
export type Happening =
  | { readonly tap: string }
  | {
      readonly claim: 'yes' | 'no';
      /** The payment that was charged, by the screen. */
      readonly paymentId: string | undefined;
      readonly step: string;
    };

/** The state that outlives the app. */
export interface Surroundings {
  readonly baseUrl: string;
  /** The person whose notes the app reads, and who is signed in. */
  readonly subject: string;
  readonly token: string;
  /** The tip of each payment, in a shop that takes tips. */
  readonly tip?: string | undefined;
  /** The other visits of each payment. */
  readonly alsoPays?: AlsoPays | undefined;
  readonly fetch: Fetch;
  readonly journal: Journal;
  /** Presents the customer's card; called each time a card is needed. */
  present(clientSecret: string): Promise<Collected>;
  readonly time: Time;
  readonly newKey: () => string;
  happened(what: Happening): void;
}

export interface Fate {
  /** The app dies at this point: every await of the flow has one before and one after. */
  readonly killAt?: number | undefined;
  /** The response to this request is lost. */
  readonly lostAnswer?: number | undefined;
  /** The responses to this request and all later ones are lost. */
  readonly outageFrom?: number | undefined;
  /** A further disturbance at a point. */
  readonly atPoint?: ((point: number) => Promise<void> | void) | undefined;
}

export interface Life {
  /** Resolves when the barber has finished; never if the app died. */
  readonly done: Promise<Taking | undefined>;
  readonly died: Promise<void>;
  readonly points: () => number;
  readonly requests: () => number;
  readonly lost: () => number;
}

const maxRounds = 14;

/** One start of the app, until the appointment is paid or the app is killed. */
export function live(around: Surroundings, appointmentId: string, fate: Fate): Life {
  let points = 0;
  let requests = 0;
  let lost = 0;
  let isDead = false;
  let die: () => void = () => {};
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  const never = () => new Promise<never>(() => {});

  /** After its death, all work of the app stops. */
  async function point(): Promise<void> {
    if (isDead) return never();
    points += 1;
    await fate.atPoint?.(points);
    if (points !== fate.killAt) return undefined;
    isDead = true;
    die();
    return never();
  }

  async function act<T>(work: () => Promise<T>): Promise<T> {
    await point();
    const value = await work();
    await point();
    return value;
  }

  const { journal } = around;
  const mortalJournal: Journal = {
    keys: () => act(() => journal.keys()),
    get: (key) => act(() => journal.get(key)),
    set: (key, value) => act(() => journal.set(key, value)),
    remove: (key) => act(() => journal.remove(key)),
  };
  const options: ClientOptions = {
    baseUrl: around.baseUrl,
    accessToken: () => around.token,
    newKey: around.newKey,
    time: {
      now: around.time.now,
      after: (ms, run) => around.time.after(ms, () => (isDead ? undefined : run())),
    },
    random: () => 0.5,
    fetch: (url, init) =>
      act(async () => {
        requests += 1;
        const isLost =
          requests === fate.lostAnswer || requests >= (fate.outageFrom ?? requests + 1);
        const answer = await around.fetch(url, init);
        if (!isLost) return answer;
        lost += 1;
        throw new Error('Network request failed');
      }),
  };
  const reader: Reader = {
    ready: () => act(async () => undefined),
    retrieve: (clientSecret) =>
      act(async () => ({
        reference: clientSecret.split('_secret_', 1).join(),
        collect: () => act(() => around.present(clientSecret)),
      })),
  };
  const { subject, tip, alsoPays } = around;
  const client = createClient(options);
  const register = createRegister({ client, reader, journal: mortalJournal, subject });
  register.subscribe(() => {
    const { charged, paidBy, paymentId, step } = register.getSnapshot();
    if (isDead || charged === 'unknown') return;
    around.happened({ claim: charged, paymentId: paidBy?.id ?? paymentId, step });
  });

  async function barber(): Promise<Taking | undefined> {
    const unfinished = (await register.unfinished()) ?? [];
    // The note knows the tip and the visits of a payment that waits, so the barber does not choose them again.
    let kept: string | undefined;
    for (const { appointmentId: id } of unfinished) {
      const { reason } = await register.resume(id);
      if (reason === 'waiting') kept = id;
    }
    let taking: Taking | undefined;
    const rounds = fate.outageFrom === undefined ? maxRounds : 2;
    for (let round = 0; round < rounds; round += 1) {
      const isKept = round === 0 && kept === appointmentId;
      taking = await register.take({ appointmentId, ...(!isKept && { tip, alsoPays }) });
      if (taking.step === 'captured' || taking.reason === 'alreadyPaid') break;
      if (taking.reason === 'askShop' || taking.reason === 'signIn') break;
    }
    return taking;
  }

  return { done: barber(), died, points: () => points, requests: () => requests, lost: () => lost };
}
