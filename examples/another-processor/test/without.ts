/** The abilities that Tally lacks, each with the reason. */
export const without = {
  keysCoverCaptures: 'Tally has no request ids where sales are completed or voided',
};
