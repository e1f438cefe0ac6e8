import {
  isStorable,
  operationGroups,
  operations,
  payoutSettingsSchema,
  problemShapes,
  type Shape,
  type Shapes,
  sharedShapes,
  type WireOption,
  wireOptions,
} from '@chairside/core/ports';
import { type OverrideActionContext, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { type Ref, refTo, type Schema } from './document.ts';

type IsOn = (option: WireOption) => boolean;

/** Every named schema: those of each group of operations, in its order, between those of all. */
const shapes: Shapes = Object.assign(
  {},
  sharedShapes,
  ...Object.keys(operationGroups).flatMap(shapesOf),
  problemShapes,
);

function shapesOf(group: string): Shapes[] {
  return Object.values(operations).flatMap((one) =>
    'group' in one && one.group === group && one.shapes !== undefined ? [one.shapes] : [],
  );
}

const names = new Map<unknown, string>(
  Object.entries(shapes).map(([name, { schema }]) => [schema, name]),
);

export function schemaRef(schema: GenericSchema): Ref {
  return refTo('schemas', nameOf(schema));
}

export function exampleOf(schema: GenericSchema): unknown {
  return shapes[nameOf(schema)]?.example;
}

/** The name of a schema. Throws for a schema of the route table without one. */
function nameOf(schema: GenericSchema): string {
  const wrapped: unknown = 'wrapped' in schema ? schema.wrapped : schema;
  const name = names.get(wrapped);
  if (name === undefined) {
    const members = 'entries' in schema ? Object.keys(Object(schema.entries)) : [schema.type];
    throw new Error(`Name the schema of ${members.join(', ')} in the shapes of its operation`);
  }
  return name;
}

/**
 * All named schemas as JSON Schema, 2020-12.
 * @param isOn whether the service has switched an option on (D48, D208).
 */
export function componentSchemas(isOn: IsOn): Record<string, Schema> {
  const named = Object.entries(shapes).map(([name, { schema }]) => [name, schema]);
  const schemas = toJsonSchemaDefs(Object.fromEntries(named), {
    target: 'draft-2020-12',
    overrideAction: convertAction,
    overrideRef: ({ referenceId }) => refTo('schemas', referenceId).$ref,
  });
  const described = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      describe(shape, { ...schemas[name] }, isOn),
    ]),
  );
  return {
    ...described,
    PayoutSettings: {
      ...described['PayoutSettings'],
      discriminator: {
        propertyName: 'frequency',
        mapping: Object.fromEntries(
          payoutSettingsSchema.options.map((option) => [
            option.entries.frequency.literal,
            schemaRef(option).$ref,
          ]),
        ),
      },
    },
  };
}

/** Adds the description and the example of a schema, and of each of its properties. */
function describe(
  { about, example, properties: texts, optional = {} }: Shape,
  schema: Schema,
  isOn: IsOn,
): Schema {
  const described = { ...schema, description: about, examples: [example] };
  if (texts === undefined) return described;
  const all = Object.entries(isRecord(schema['properties']) ? schema['properties'] : {});
  const off = [...wireOptions].filter((option) => !isOn(option));
  const properties = all.filter(
    ([name]) => !off.some((option) => Object.hasOwn(optional[option] ?? {}, name)),
  );
  const more: Members = Object.assign({}, ...Object.values(optional));
  return {
    ...described,
    properties: Object.fromEntries(
      properties.map(([property, own]) => [
        property,
        {
          ...(isRecord(own) && withType(own)),
          description: texts[property],
          examples: [isRecord(example) ? (example[property] ?? more[property]) : undefined],
        },
      ]),
    ),
  };
}

type Members = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Some generators make `unknown` of a constant without a type. */
function withType(schema: Members): Members {
  return 'const' in schema ? { type: typeof schema['const'], ...schema } : schema;
}

/**
 * The text that every store can keep (`isStorable`). JSON Schema strings have no unpaired
 * surrogates, so the pattern excludes only U+0000.
 */
const storablePattern = '^[^\\x00]*$';

/**
 * Functions check the lengths, because JSON Schema counts code points. The limits are in the
 * schema's metadata, which is copied. A schema's own pattern is narrower than the storable one and
 * replaces it.
 */
function convertAction({ valibotAction: action, jsonSchema }: OverrideActionContext) {
  const requirement: unknown = 'requirement' in action ? action.requirement : undefined;
  if (action.type === 'check') {
    return requirement === isStorable ? { ...jsonSchema, pattern: storablePattern } : jsonSchema;
  }
  const isNarrower = requirement instanceof RegExp && jsonSchema.pattern === storablePattern;
  return isNarrower ? { ...jsonSchema, pattern: requirement.source } : undefined;
}
