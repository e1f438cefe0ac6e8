/** Parses a command's options. On `--help` or an error it prints the usage, and ends. */
export function orUsage<T>(usage: string, read: () => T): T {
  if (process.argv.includes('--help')) {
    console.log(usage);
    process.exit();
  }
  try {
    return read();
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${usage}`);
    process.exit(2);
  }
}

/** Throws for text that is not all digits. */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error(`'${text}' is not a whole number.`);
}
