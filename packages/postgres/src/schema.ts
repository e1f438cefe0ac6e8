/** Replaces `@name` by the schema's table or function of that name, and `@.name` by others. */
export function inSchema(text: string, schema: string): string {
  const prefix = quoted(schema);
  return text.replaceAll(/@(\.?)(\w+)/g, (_, dot, name) =>
    dot === '' ? `${prefix}.chairside_${name}` : `${prefix}.${name}`,
  );
}

/** The name as a quoted identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
