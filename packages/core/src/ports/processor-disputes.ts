import type { ProcessorDispute } from '../domain/dispute.ts';
import type { ResultAsync } from '../domain/result.ts';
import type {
  ListedPage,
  ListedReturn,
  ListRequest,
  PaymentHandle,
  ProcessorError,
} from './processor-calls.ts';

/**
 * Reads disputes at the processor (D45). Without this part a dispute is known from its messages alone,
 * so a lost message hides it.
 */
export interface ProcessorDisputes {
  /** Lists every dispute of a payment as it is now: all of them, or an error. */
  list(payment: PaymentHandle): ResultAsync<readonly ProcessorDispute[], ProcessorError>;
  /** Lists the disputes of our payments in a ledger, in pages as `listPayments` does. */
  listRecent(request: ListRequest): ResultAsync<ListedPage<ListedReturn>, ProcessorError>;
}
