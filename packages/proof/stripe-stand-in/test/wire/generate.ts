// Makes JSON Schemas from the SDK's declarations, for everything that `types.ts` names. They are
// stricter than the declarations: no undeclared members, no references expanded without a request,
// and only the listed values of each enumeration.
import ts from 'typescript';

export interface Schemas {
  /** By place in `Wire`: `reply/createPaymentIntent`, for example. */
  readonly roots: Readonly<Record<string, Schema>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

type Schema = boolean | { readonly [keyword: string]: unknown };

/** References that the adapter expands. */
const expanded: ReadonlySet<string> = new Set([
  'balance_transaction',
  'failure_balance_transaction',
  'latest_charge',
  'latest_attempt',
  'payment_intent',
  'payment_method',
  'source',
]);

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2024,
  strict: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  customConditions: ['@chairside/source'],
  types: ['node'],
};

export function generateSchemas(path: string): Schemas {
  const program = ts.createProgram([path], options);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const wire = file?.statements.find(ts.isInterfaceDeclaration);
  if (wire === undefined) throw new Error(`${path} declares no interface`);
  const definitions: Record<string, Schema> = {};
  const names = new Map<ts.Type, string>();

  function membersOf(type: ts.Type): readonly (readonly [ts.Symbol, ts.Type])[] {
    return checker
      .getPropertiesOfType(type)
      .map((member) => [member, checker.getTypeOfSymbol(member)] as const);
  }

  /** A type with members gets one definition, because types refer to themselves. */
  function referenceTo(type: ts.Type): Schema {
    let name = names.get(type);
    if (name === undefined) {
      name = `${type.symbol?.name ?? 'type'}_${names.size}`;
      names.set(type, name);
      definitions[name] = {};
      definitions[name] = objectOf(type);
    }
    return { $ref: `#/definitions/${name}` };
  }

  function objectOf(type: ts.Type): Schema {
    const index = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const [member, of] of membersOf(type)) {
      const schema = schemaOf(of, member.name);
      if (schema === false) continue;
      properties[member.name] = schema;
      if ((member.flags & ts.SymbolFlags.Optional) === 0) required.push(member.name);
    }
    const additionalProperties = index === undefined ? false : schemaOf(index, '');
    return { type: 'object', properties, required, additionalProperties };
  }

  function unionOf(type: ts.UnionType, name: string): Schema {
    const isReference = type.types.some(isText) && !expanded.has(name);
    const kept = type.types.filter((member) => !(isReference && hasObjectName(member)));
    const hasLiterals = kept.some((member) => member.isStringLiteral());
    const isFlag = (member: ts.Type) => (member.flags & ts.TypeFlags.BooleanLiteral) !== 0;
    // Ajv coerces a text to a boolean, but to none of two constants.
    const flags = kept.filter(isFlag).length === 2;
    const any = (flags ? kept.filter((member) => !isFlag(member)) : kept)
      .filter((member) => !(hasLiterals && isText(member)))
      .map((member) => schemaOf(member, name))
      .filter((schema) => schema !== false);
    if (flags) any.push({ type: 'boolean' });
    return any.length < 2 ? (any[0] ?? false) : { anyOf: any };
  }

  /** One of Stripe's objects, identified by its `object` member. */
  function hasObjectName(type: ts.Type): boolean {
    const member = type.getProperty('object');
    return member !== undefined && checker.getTypeOfSymbol(member).isStringLiteral();
  }

  function schemaOf(type: ts.Type, name: string): Schema {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return true;
    if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void | ts.TypeFlags.Never)) return false;
    if (flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (flags & ts.TypeFlags.BooleanLiteral)
      return { const: checker.typeToString(type) === 'true' };
    if (flags & ts.TypeFlags.Number) return { type: 'number' };
    if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (isText(type) || type.symbol?.name === 'Decimal') return { type: 'string' };
    if (type.isUnion()) return unionOf(type, name);
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type as ts.TypeReference); // cast: arrays are references
      return { type: 'array', items: item === undefined ? true : schemaOf(item, name) };
    }
    return referenceTo(type);
  }

  const roots: Record<string, Schema> = {};
  const place = (name: string, type: ts.Type) => {
    roots[name] = schemaOf(type, '');
  };
  for (const [part, of] of membersOf(checker.getTypeAtLocation(wire))) {
    if (part.name === 'failure' || part.name === 'event') place(part.name, of);
    else for (const [member, type] of membersOf(of)) place(`${part.name}/${member.name}`, type);
  }
  return { roots, definitions };
}

/** A string, or the SDK's mark for values that a later version may add. */
function isText(type: ts.Type): boolean {
  if (type.flags & ts.TypeFlags.String) return true;
  return type.isIntersection() && type.types.some((part) => part.flags & ts.TypeFlags.String);
}
