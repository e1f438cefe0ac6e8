import type { OpenApiDocument } from './document.ts';

type Components = OpenApiDocument['components'];

/** Leaves out the components that no operation refers to, directly or through other components. */
export function usedComponents(
  paths: OpenApiDocument['paths'],
  { securitySchemes, ...components }: Components,
): Components {
  const sections: Readonly<Record<string, Readonly<Record<string, unknown>>>> = components;
  const used = new Set<string>();
  collect(paths);

  function collect(value: unknown): void {
    for (const [, section = '', name = ''] of JSON.stringify(value).matchAll(references)) {
      if (used.has(`${section}/${name}`)) continue;
      used.add(`${section}/${name}`);
      collect(sections[section]?.[name] ?? {});
    }
  }

  const keep = <T>(section: string, members: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => used.has(`${section}/${name}`)));
  return {
    schemas: keep('schemas', components.schemas),
    parameters: keep('parameters', components.parameters),
    headers: keep('headers', components.headers),
    responses: keep('responses', components.responses),
    securitySchemes,
  };
}

const references = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;
