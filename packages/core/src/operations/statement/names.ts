// The names of the statement's inputs, results and errors.
import type { OperationError } from '../../call/operation.ts';
import type { statements } from './statement.ts';

export type { GetStatementInput, ListPayoutsInput } from './statement.ts';
export type GetStatementError = OperationError<typeof statements.getStatement>;
export type ListPayoutsError = OperationError<typeof statements.listPayouts>;
