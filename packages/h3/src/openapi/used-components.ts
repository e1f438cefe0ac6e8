import type { OpenApiDocument } from './document.ts';

type Components = OpenApiDocument['components'];

/** Leaves out the components that no operation refers to, directly or through other components. */
export function usedComponents(
  paths: OpenApiDocument['paths'],
  { securitySchemes, ...components }: Components,
): Components {
  const byRef = new Map<unknown, unknown>(
    Object.entries(components).flatMap(([section, members]) =>
      Object.entries(members).map(([name, member]) => [refOf(section, name), member]),
    ),
  );
  const used = new Set<unknown>();
  collect(paths);

  function collect(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (name !== '$ref') collect(member);
      else if (!used.has(member)) {
        used.add(member);
        collect(byRef.get(member));
      }
    }
  }

  const keep = <T>(section: string, members: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => used.has(refOf(section, name))));
  return {
    schemas: keep('schemas', components.schemas),
    parameters: keep('parameters', components.parameters),
    headers: keep('headers', components.headers),
    responses: keep('responses', components.responses),
    securitySchemes,
  };
}

const refOf = (section: string, name: string) => `#/components/${section}/${name}`;
