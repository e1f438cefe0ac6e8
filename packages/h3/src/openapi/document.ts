/** The parts of OpenAPI 3.1 that the document uses. */

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly contact: { readonly name: string; readonly url: string };
    readonly license: { readonly name: string; readonly url: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path, then by lower-case method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly (Parameter | Ref)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Ref>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema | Ref;
  readonly example?: unknown;
}

interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<string, Media>>;
}

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Header | Ref>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly example: unknown;
}

export interface Media {
  readonly schema: Schema | Ref;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** A JSON Schema, 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Ref {
  readonly $ref: string;
}

export function refTo(section: keyof OpenApiDocument['components'], name: string): Ref {
  return { $ref: `#/components/${section}/${name}` };
}

export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
