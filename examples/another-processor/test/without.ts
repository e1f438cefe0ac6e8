/** The abilities that Tally lacks, each with the reason. */
export const without = {
  charges: 'Tally charges no card without its customer',
  closeDispute: 'Tally closes no dispute',
  disputes: 'Tally tells of disputes by messages alone',
  settlements: 'Tally lists no balance',
  keysCoverCaptures: 'Tally has no request ids where sales are completed or voided',
};
