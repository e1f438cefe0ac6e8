/** Parses the amounts of the processor's books and of responses, which are well-formed. */
export function minor(money: string): bigint {
  return BigInt(money.replace('.', ''));
}
