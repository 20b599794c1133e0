// Types of what the control plane replies, made from its OpenAPI document: what the dashboard calls app/replies.d.ts.
const WIDTH_MAX = 136;
const HEAD = '// Made from /api/v1/openapi.json by sdk-tests/dashboard/run --types. Do not edit.\n';
const REFERENCE = '#/components/schemas/';
const NAMES = { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' };

/** The text of the file: each schema that a reply contains as an interface, by name. */
export function typesOf(document) {
  const wanted = new Set();
  const queue = Object.values(document.paths).flatMap((path) => Object.values(path)).map(({ responses }) => responses);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const name = typeof next.$ref === 'string' ? next.$ref.slice(REFERENCE.length) : null;
    if (name !== null && !wanted.has(name)) {
      wanted.add(name);
      queue.push(document.components.schemas[name]);
    }
    queue.push(...Object.values(next).filter((part) => part !== null && typeof part === 'object'));
  }
  return HEAD + [...wanted].toSorted().map((name) => interfaceOf(name, document.components.schemas[name])).join('');
}

function interfaceOf(name, schema) {
  const lines = [''];
  for (const [member, type] of Object.entries(schema.properties ?? {})) {
    const text = ` ${member}${schema.required?.includes(member) ? '' : '?'}: ${typeOf(type)};`;
    if (lines.at(-1).length + text.length > WIDTH_MAX - 2) {
      lines.push('');
    }
    lines[lines.length - 1] += text;
  }
  const isShort = lines.length === 1 && name.length + lines[0].length < WIDTH_MAX - 24;
  return `\nexport interface ${name} {${isShort ? lines[0].replace(/;$/, ' ') : `\n${lines.map((line) => ` ${line}\n`).join('')}`}}\n`;
}

function typeOf(schema) {
  if (schema.$ref) {
    return schema.$ref.slice(REFERENCE.length);
  }
  if (schema.anyOf) {
    return schema.anyOf.map(typeOf).join(' | ');
  }
  if (schema.enum) {
    return schema.enum.map((value) => (value === null ? 'null' : `'${value}'`)).join(' | ');
  }
  const types = [schema.type ?? 'unknown'].flat().map((type) => {
    if (type === 'array') {
      const item = typeOf(schema.items);
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
    }
    return type === 'object' ? 'Record<string, unknown>' : (NAMES[type] ?? 'unknown');
  });
  return types.join(' | ');
}
