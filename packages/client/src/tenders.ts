import type { AnswerOf, InputOf } from './answers.ts';
import { type Calls, callsOf } from './calls.ts';
import { type ClientOptions, toSettings } from './settings.ts';
import { tenderOperations } from './tender-operations.ts';

// Apart from the other operations, so that an app that takes cards alone does not carry them.

/** What was paid for an appointment without a card. */
export type Tender = AnswerOf<'recordTender'>;

/** What was given back of a tender. */
export type TenderReturn = AnswerOf<'returnTender'>;

/** The tenders of an appointment, oldest first, and what it still owes. */
export type Tenders = AnswerOf<'listTenders'>;

/** The same key means the same tender. Store it before the call. */
export interface RecordTenderInput extends InputOf<'recordTender'> {}
/** The same key means the same return. Store it before the call. */
export interface ReturnTenderInput extends InputOf<'returnTender'> {}
export interface ListTendersInput extends InputOf<'listTenders'> {}
export interface VoidTenderInput extends InputOf<'voidTender'> {}

/** The operations of tenders, which a service may switch on. */
export type TenderClient = Calls<typeof tenderOperations>;

/** Takes the options of `createClient`. Throws a TypeError for invalid ones. */
export function createTenderClient(options: ClientOptions): TenderClient {
  return callsOf(toSettings(options), tenderOperations);
}
