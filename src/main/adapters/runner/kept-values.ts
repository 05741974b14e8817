/**
 * Runs inside the isolate as a part of the prelude. `pack` writes the variables of a run as a text, and `restore` makes
 * globals of them for the next one. Nobody outside reads the text.
 *
 * Data keeps its shape, with what refers to the same object twice or to itself. A function and a class are kept by their
 * source, so what they found around them at the top of the code they find again, and nothing else. What is neither is
 * named and left out: an object of a class, a promise, a function of the isolate. A text of more than `textLimit` is null.
 */
export const keptValues = `
const reserved = { __proto__: null, spawnSubagent: true, runSubagent: true, this: true, null: true, true: true, false: true };
for (const name of Object.getOwnPropertyNames(globalThis)) reserved[name] = true;
const globalEval = eval, Compile = Function, MapOf = Map, typed = Object.getPrototypeOf(Uint8Array);
const sourceOf = (value) => {
  const text = apply(Compile.prototype.toString, value, []);
  if (text.includes('[native code]')) throw new TypeError('It is a function of the isolate.');
  try { new Compile('return (' + text + ')'); return ['f', text]; } catch {}
  new Compile('return ({' + text + '})');
  return ['m', text];
};

const createPacker = () => {
  const nodes = [], places = new MapOf();
  const put = (node) => nodes.push(node) - 1;
  const partsOf = (value) => {
    if (Array.isArray(value)) return ['a', Array.from(value, encode)];
    const own = Object.getPrototypeOf(value);
    if (own === Object.prototype || own === null)
      return ['o', Object.keys(value).map((key) => [key, encode(value[key])]), own === null];
    if (own === MapOf.prototype) return ['M', Array.from(value, ([key, one]) => [encode(key), encode(one)])];
    if (own === Set.prototype) return ['S', Array.from(value, encode)];
    if (own === Date.prototype) return ['D', value.getTime()];
    if (own === RegExp.prototype) return ['R', value.source, value.flags];
    if (value instanceof Error && typeof globalThis[value.name] === 'function') return ['E', value.name, '' + value.message];
    if (value instanceof typed && globalThis[value.constructor.name] === value.constructor)
      return ['T', value.constructor.name, Array.from(value, encode)];
    throw new TypeError('It is no plain data.');
  };
  const encode = (value) => {
    switch (typeof value) {
      case 'string': case 'boolean': return put(['v', value]);
      case 'number': return put(Number.isFinite(value) && !Object.is(value, -0) ? ['v', value] : ['n', Object.is(value, -0) ? '-0' : '' + value]);
      case 'bigint': return put(['b', '' + value]);
      case 'undefined': return put(['u']);
      case 'symbol': throw new TypeError('It is a symbol.');
    }
    if (value === null) return put(['v', null]);
    const known = places.get(value);
    if (known !== undefined) return known;
    const node = [], at = put(node);
    places.set(value, at);
    const parts = typeof value === 'function' ? sourceOf(value) : partsOf(value);
    for (const part of parts) node.push(part);
    return at;
  };
  return { nodes, encode, forget: (length) => { nodes.length = length; for (const [one, at] of places) if (at >= length) places.delete(one); } };
};

let look = null;
const valuesOf = (names) => {
  const values = { __proto__: null };
  for (const name of Object.keys(globalThis)) if (!reserved[name]) values[name] = globalThis[name];
  if (look) for (const name of names) if (!reserved[name]) { try { values[name] = look(name); } catch {} }
  return values;
};
const pack = (words) => {
  const values = valuesOf(words.split(' ')), { nodes, encode, forget } = createPacker(), names = [], lost = [...unread];
  for (const name of Object.keys(values)) {
    const length = nodes.length;
    if (values[name] === undefined) continue;
    try { names.push([name, encode(values[name])]); } catch { forget(length); lost.push(cut(name, 100)); }
  }
  const state = names.length > 0 ? stringify({ __proto__: null, nodes, names }) : '';
  // A giant text would be copied into the process before anybody could measure it.
  return stringify({ __proto__: null, state: state.length > textLimit ? null : state, lost: lost.slice(0, 100) });
};

let unread = [];
const restore = (text) => {
  const { nodes, names } = parse(text), made = [];
  const make = (at) => at in made ? made[at] : build(at, nodes[at]);
  const build = (at, [kind, first, second]) => {
    switch (kind) {
      case 'v': return made[at] = first;
      case 'n': return made[at] = Number(first);
      case 'b': return made[at] = BigInt(first);
      case 'u': return made[at] = undefined;
      case 'f': return made[at] = globalEval('(' + first + ')');
      case 'm': return made[at] = Object.values(globalEval('({' + first + '})'))[0];
      case 'D': return made[at] = new Date(first);
      case 'R': return made[at] = new RegExp(first, second);
      case 'E': return made[at] = new globalThis[first](second);
      case 'T': return made[at] = globalThis[first].from(second.map(make));
      case 'a': { const list = made[at] = []; for (const one of first) list.push(make(one)); return list; }
      case 'S': { const set = made[at] = new Set(); for (const one of first) set.add(make(one)); return set; }
      case 'M': { const map = made[at] = new MapOf(); for (const [key, one] of first) map.set(make(key), make(one)); return map; }
      case 'o': {
        const object = made[at] = second ? { __proto__: null } : {};
        for (const [key, one] of first) Object.defineProperty(object, key, { value: make(one), writable: true, enumerable: true, configurable: true });
        return object;
      }
      default: throw new TypeError('Unknown value.');
    }
  };
  // A class may stand before the one that it extends.
  for (let left = names.filter(([name]) => !reserved[name]), before = Infinity; left.length > 0 && left.length < before; ) {
    before = left.length;
    left = left.filter(([name, at]) => { try { globalThis[name] = make(at); return false; } catch { return true; } });
    unread = left.map(([name]) => name);
  }
};
`
