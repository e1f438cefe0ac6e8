import type { AlsoPays } from './answers.ts';
import { flag, list, number, object, type Parser, text } from './parse.ts';
import { bounded, type Time } from './time.ts';

/**
 * The app's storage for unfinished payments: text by key, in storage that survives the app. A
 * resolved `set` must be durable. All four may reject.
 */
export interface Journal {
  keys(): Promise<readonly string[]>;
  get(key: string): Promise<string | null | undefined>;
  set(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
}

/** The record written before each act. It holds no secret. */
export interface Entry {
  readonly appointmentId: string;
  /** The amount of the payment. Before it is opened, the requested one; the full remainder if absent. */
  readonly amount?: string | undefined;
  /** The part of the amount that is tip, where the service takes tips (D48). */
  readonly tip?: string | undefined;
  /** The other visits in the amount (D208). */
  readonly alsoPays?: AlsoPays | undefined;
  readonly createKey: string;
  readonly captureKey: string;
  readonly begunAt: number;
  /**
   * `opening`: the payment may have been created. `opened`: no card is being read, and no capture
   * is running. `presenting`: a card may have been read. `capturing`: it may have been charged.
   */
  readonly state: 'opening' | 'opened' | 'presenting' | 'capturing';
  readonly paymentId?: string | undefined;
  /** The processor's reference, which a capture needs. */
  readonly reference?: string | undefined;
  /** Whether a card was declined before the one that is read, or was read last. */
  readonly wasDeclined?: boolean | undefined;
  /** Why a person has to look at it. */
  readonly stuck?: string | undefined;
}

const states = ['opening', 'opened', 'presenting', 'capturing'] as const;
const parseState: Parser<Entry['state']> = (value) => states.find((name) => name === value);

const entrySchema: Parser<Entry> = object(
  { appointmentId: text, createKey: text, captureKey: text, begunAt: number, state: parseState },
  {
    amount: text,
    tip: text,
    alsoPays: list(object({ appointmentId: text, amount: text })),
    paymentId: text,
    reference: text,
    wasDeclined: flag,
    stuck: text,
  },
);

/** The note of one appointment: absent, readable or unreadable. */
type Note = Entry | 'none' | 'unreadable';

export interface Listed {
  readonly appointmentId: string;
  readonly note: Note;
}

export type Notes = ReturnType<typeof createNotes>;

const storageTimeoutMs = 10_000;

/** The journal of one subject. Every function rejects if the storage fails or hangs. */
export function createNotes(journal: Journal, subject: string, time: Time) {
  const prefix = `chairside/1/${encodeURIComponent(subject)}/`;
  const keyOf = (appointmentId: string) => prefix + encodeURIComponent(appointmentId);

  async function inTime<T>(work: () => Promise<T>): Promise<T> {
    const ended = await bounded(time, storageTimeoutMs, undefined, work);
    if ('value' in ended) return ended.value;
    throw new Error(ended.lost);
  }

  async function read(appointmentId: string): Promise<Note> {
    const kept = await inTime(() => journal.get(keyOf(appointmentId)));
    if (kept === null || kept === undefined) return 'none';
    const entry = parseEntry(kept);
    return entry?.appointmentId === appointmentId ? entry : 'unreadable';
  }

  async function isStill({ appointmentId, createKey, state }: Entry): Promise<boolean> {
    const note = await read(appointmentId);
    return typeof note === 'object' && note.createKey === createKey && note.state === state;
  }

  const remove = (appointmentId: string) => inTime(() => journal.remove(keyOf(appointmentId)));

  return {
    read,
    /**
     * Writes the entry over the version that this register wrote or read before, if there is one. False
     * if another register of the same subject, such as a second tab, has written or ended it meanwhile.
     */
    async write(entry: Entry, before?: Entry): Promise<boolean> {
      const { appointmentId } = entry;
      const isOurs = before ? await isStill(before) : (await read(appointmentId)) === 'none';
      if (isOurs) await inTime(() => journal.set(keyOf(appointmentId), JSON.stringify(entry)));
      return isOurs;
    },
    /** Removes the entry; false as above. */
    async end(before: Entry): Promise<boolean> {
      const isOurs = await isStill(before);
      if (isOurs) await remove(before.appointmentId);
      return isOurs;
    },
    remove,
    async list(): Promise<readonly Listed[]> {
      const keys = await inTime(() => journal.keys());
      const notes = keys
        .filter((key) => key.startsWith(prefix))
        .map(async (key) => {
          const appointmentId = decodeURIComponent(key.slice(prefix.length));
          return { appointmentId, note: await read(appointmentId) };
        });
      return Promise.all(notes);
    },
  };
}

function parseEntry(kept: string): Entry | undefined {
  try {
    const entry = entrySchema(JSON.parse(kept));
    if (entry === undefined || entry.state === 'opening') return entry;
    const { state, paymentId, reference } = entry;
    return paymentId && (reference || state === 'opened') ? entry : undefined;
  } catch {
    return undefined;
  }
}
