// The statement of a day, which compares our books with the processor's (D50).

export { statements } from './statement.ts';
