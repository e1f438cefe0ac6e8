// Describes the events as webhooks in OpenAPI 3.1. Schemas and texts come from the declaration of
// `CloudEvent`, so a new event or member appears here without a second list.
import { join } from 'node:path';
import ts from 'typescript';
import type { Schema } from '../packages/h3/src/openapi/document.ts';

const root = join(import.meta.dirname, '..');

interface Webhook {
  readonly type: string;
  readonly schema: string;
  readonly description: string;
}

/** Builds the document of the requests that `@chairside/webhooks` sends. */
export function buildWebhooksOpenApi(): object {
  const { webhooks, schemas } = readEvents();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chairside webhooks',
      version: '0.1.0',
      summary: 'Events of in-person card payments',
      description: about,
      contact: { name: 'Chairside', url: 'https://chairside.example' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/' }],
    security: [],
    tags: [{ name: 'events', description: 'Changes of payments, terminals and reviews' }],
    webhooks: Object.fromEntries(
      webhooks.map((webhook) => [webhook.type, { post: post(webhook) }]),
    ),
    components: { schemas, parameters },
  };
}

const about = `
What \`@chairside/webhooks\` posts to a receiver: one CloudEvent in each request, signed as
[Standard Webhooks](https://www.standardwebhooks.com) has it. An event may arrive twice. Events of one
subject arrive in order. Ignore unknown members and types, since later versions may add them.
`.trim();

const parameters = {
  webhookId: header('webhook-id', "The event's id, the same in every attempt."),
  webhookTimestamp: header('webhook-timestamp', 'The time of this attempt, in seconds.'),
  webhookSignature: header(
    'webhook-signature',
    'For each secret `v1,` and the HMAC-SHA256 of id, timestamp and body; a space between two.',
  ),
};

function header(name: string, description: string) {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
}

function post({ type, schema, description }: Webhook) {
  const name = type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const only = { type: 'object', properties: { type: { const: type } } };
  return {
    operationId: `on${name}`,
    summary: type,
    description,
    tags: ['events'],
    parameters: Object.keys(parameters).map((key) => ({ $ref: `#/components/parameters/${key}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { allOf: [{ $ref: `#/components/schemas/${schema}` }, only] },
        },
      },
    },
    responses: {
      '2XX': { description: 'The event is accepted.' },
      '4XX': { description: 'The event is refused, and sent again later.' },
    },
  };
}

/** Each event type, and the schemas of the events by the names of their declarations. */
function readEvents() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const domain = join(root, 'packages/core/src/event/event.ts');
  const wire = join(root, 'packages/core/src/event/wire.ts');
  const program = ts.createProgram([domain, wire], options);
  const checker = program.getTypeChecker();
  const typeAt = (path: string, name: string) => {
    const file = program.getSourceFile(path);
    const found = file?.statements
      .filter(ts.isTypeAliasDeclaration)
      .find((at) => at.name.text === name);
    if (found === undefined) throw new Error(`${path} does not declare ${name}`);
    return checker.getTypeAtLocation(found);
  };
  const partsOf = (type: ts.Type) => (type.isUnion() ? type.types : [type]);
  const schemaOf = schemasFrom(checker);
  const schemas: Record<string, Schema> = {};
  const webhooks: Webhook[] = [];
  const events = partsOf(typeAt(domain, 'DomainEvent'));
  for (const event of partsOf(typeAt(wire, 'CloudEvent'))) {
    const types = (of: ts.Type) => checker.typeToString(typeOf(of, 'type', checker));
    const declared = events.find((of) => types(of) === types(event));
    const name = declared?.symbol.name;
    if (declared === undefined || name === undefined) throw new Error('an event without a name');
    const description = textOf(declared.symbol, checker);
    schemas[name] = { description, ...schemaOf(event) };
    for (const member of partsOf(typeOf(event, 'type', checker))) {
      if (member.isStringLiteral())
        webhooks.push({ type: member.value, schema: name, description });
    }
  }
  return { webhooks, schemas };
}

function typeOf(type: ts.Type, member: string, checker: ts.TypeChecker): ts.Type {
  const symbol = checker.getPropertyOfType(type, member);
  if (symbol === undefined) throw new Error(`an event has no ${member}`);
  return checker.getTypeOfSymbol(symbol);
}

/** The comment above a declaration, without the numbers of decisions. */
function textOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return text.replaceAll(/ \(D\d+\)/g, '').replaceAll('\n', ' ');
}

/** JSON Schema of the kinds of types that events have; it throws for any other. */
function schemasFrom(checker: ts.TypeChecker): (type: ts.Type) => Schema {
  return function schemaOf(type): Schema {
    if (type.isStringLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral) {
      return { const: checker.typeToString(type) === 'true' };
    }
    if (type.flags & ts.TypeFlags.String) return { type: 'string' };
    // Amounts are texts: the numbers of events count.
    if (type.flags & ts.TypeFlags.Number) return { type: 'integer' };
    if (type.isUnion()) {
      const kept = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
      const values = kept.flatMap((part) => (part.isStringLiteral() ? [part.value] : []));
      if (values.length === kept.length) return { type: 'string', enum: values.sort() };
      if (kept[0] !== undefined && kept.length === 1) return schemaOf(kept[0]);
    }
    // cast: arrays are references
    const reference = type as ts.TypeReference;
    const [item] = checker.isArrayType(type) ? checker.getTypeArguments(reference) : [];
    if (item !== undefined) return { type: 'array', items: schemaOf(item) };
    const members = checker.getPropertiesOfType(type);
    if (members.length === 0 || !(type.flags & ts.TypeFlags.Object)) {
      throw new Error(`an event has a member of type ${checker.typeToString(type)}`);
    }
    const isRequired = ({ flags }: ts.Symbol) => (flags & ts.SymbolFlags.Optional) === 0;
    return {
      type: 'object',
      required: members.filter(isRequired).map(({ name }) => name),
      properties: Object.fromEntries(
        members.map((member) => {
          const description = textOf(member, checker);
          const schema = schemaOf(checker.getTypeOfSymbol(member));
          return [member.name, { ...(description !== '' && { description }), ...schema }];
        }),
      ),
    };
  };
}
