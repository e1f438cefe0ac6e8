import type { Form } from './form.ts';

export function textOf(form: Form, name: string): string | undefined {
  const value = form[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(form: Form, name: string): number | undefined {
  const value = textOf(form, name);
  return value === undefined ? undefined : Number(value);
}

export function mapOf(form: Form, name: string): Readonly<Record<string, string>> {
  const value = form[name];
  const entries = typeof value === 'object' ? Object.entries(value) : [];
  return Object.fromEntries(entries.flatMap(([k, v]) => (typeof v === 'string' ? [[k, v]] : [])));
}

export function listOf(form: Form, name: string): readonly string[] {
  return Object.values(mapOf(form, name));
}
