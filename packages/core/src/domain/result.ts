/**
 * The one place that knows which Result library Chairside uses (neverthrow); everything else
 * imports it from here, so that replacing it is one change.
 */
export { Err, err, errAsync, Ok, ok, okAsync, Result, ResultAsync, safeTry } from 'neverthrow';
