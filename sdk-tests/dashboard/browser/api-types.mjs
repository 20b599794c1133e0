// Types of what the control plane replies, made from its OpenAPI document: what the dashboard calls app/replies.d.ts.
const WIDTH_MAX = 136;
const INLINE_MAX = WIDTH_MAX;
const HEAD = '// Made from /api/v1/openapi.json by sdk-tests/dashboard/run --types. Do not edit.\n';
const REFERENCE = '#/components/schemas/';
const NAMES = { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' };

/** The text of the file: each schema that `names` names or one of those contains, by name; short ones of one use at that. */
export function typesOf({ components: { schemas } }, names) {
  const uses = new Map();
  const queue = names.map((name) => ({ $ref: REFERENCE + name }));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const name = typeof next.$ref === 'string' ? next.$ref.slice(REFERENCE.length) : null;
    if (name !== null && schemas[name]) {
      if (!uses.has(name)) {
        queue.push(schemas[name]);
      }
      uses.set(name, (uses.get(name) ?? 0) + 1);
    }
    queue.push(...Object.values(next).filter((part) => part !== null && typeof part === 'object'));
  }
  const isPlain = (name) => !JSON.stringify(schemas[name]).includes(REFERENCE) && inlined(schemas[name]).length <= INLINE_MAX;
  const isInline = (name) => uses.get(name) === 1 && !names.includes(name) && isPlain(name);
  const type = (schema) => typeOf(schema, (name) => (isInline(name) ? inlined(schemas[name]) : name));
  const declared = [...uses.keys()].filter((name) => !isInline(name)).toSorted().map((name) => declarationOf(name, schemas[name], type));
  const isOfOneLine = (text) => text.indexOf('\n') === text.length - 1;
  return HEAD + declared.map((text, i) => (i > 0 && isOfOneLine(text) && isOfOneLine(declared[i - 1]) ? text : `\n${text}`)).join('');
}

/** A schema without a name. */
function inlined(schema) {
  return schema.enum ? constants(schema).join('').slice(3) : `{${members(schema, (part) => typeOf(part, (name) => name)).join('').slice(0, -1)} }`;
}

const constants = (schema) => schema.enum.map((value) => ` | '${value}'`);
const members = (schema, type) =>
  Object.entries(schema.properties ?? {}).map(([name, part]) => ` ${name}${schema.required?.includes(name) ? '' : '?'}: ${type(part)};`);

function declarationOf(name, schema, type) {
  if (schema.enum) {
    const texts = linesOf(constants(schema));
    return texts.length === 1 ? `export type ${name} = ${texts[0].slice(4)};\n` : `export type ${name} =\n${texts.join('\n')};\n`;
  }
  const lines = linesOf(members(schema, type));
  const isShort = lines.length === 1 && name.length + lines[0].length < WIDTH_MAX - 24;
  return `export interface ${name} {${isShort ? lines[0].slice(1).replace(/;$/, ' ') : `\n${lines.join('\n')}\n`}}\n`;
}

/** Parts one after the other in indented lines of at most that width. */
function linesOf(parts) {
  const lines = [' '];
  for (const part of parts) {
    if (lines.at(-1).length + part.length > WIDTH_MAX && lines.at(-1) !== ' ') {
      lines.push(' ');
    }
    lines[lines.length - 1] += part;
  }
  return lines;
}

/** The type of a schema; `named` says what stands for another schema of a name. */
function typeOf(schema, named) {
  if (schema.$ref) {
    return named(schema.$ref.slice(REFERENCE.length));
  }
  if (schema.anyOf) {
    return schema.anyOf.map((part) => typeOf(part, named)).join(' | ');
  }
  const types = [schema.type ?? 'unknown'].flat().map((type) => {
    if (type === 'array') {
      const item = typeOf(schema.items, named);
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
    }
    return type === 'object' ? `Record<string, ${typeOf(schema.additionalProperties ?? {}, named)}>` : (NAMES[type] ?? 'unknown');
  });
  return types.join(' | ');
}
