/** The abilities that Tally lacks, each with the reason. */
export const without = {
  charges: 'Tally charges no card without its customer',
  approveInterac: 'Tally refunds every card without it',
  processing: 'Tally decides on a card at once',
  refundFailure: 'Tally does not say why a refund failed',
  closeDispute: 'Tally closes no dispute',
  inquire: 'Tally knows no inquiries',
  reopenDispute: 'Tally closes no dispute',
  settlements: 'Tally lists no balance',
  keysCoverCaptures: 'Tally has no request ids where sales are completed or voided',
};
