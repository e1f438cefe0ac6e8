/** The text with the schema's tables and functions in the place of `@name`, and others of `@.name`. */
export function inSchema(text: string, schema: string): string {
  const prefix = quoted(schema);
  return text.replaceAll(/@(\.?)(\w+)/g, (_, dot, name) =>
    dot === '' ? `${prefix}.chairside_${name}` : `${prefix}.${name}`,
  );
}

/** The name as an identifier, whatever it holds. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
