import { keptValues } from './kept-values.ts'

/**
 * Runs inside the isolate before the code. Called with the three host functions; returns the functions that the host
 * calls back.
 *
 * It keeps its own references to built-ins, so that code which changes them changes only its own world. It cuts every
 * text before it leaves, because a giant string would be copied into the process first.
 *
 * Files that the code has read are cached until it changes something, as nobody else changes them during the run.
 * Objects that leave have no prototype, so the code cannot add a `toJSON`.
 */
export const prelude = `
'use strict';
const hostLog = $0, hostCall = $1, hostLimit = $2, textLimit = $3, taskLimit = 10000;
let outputLimit = 0;
for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'Temporal', 'ShadowRealm']) delete globalThis[name];
const { stringify, parse } = JSON;
const { slice } = String.prototype;
const { apply } = Reflect;
const PromiseOf = Promise, { imul } = Math;
const cut = (text, limit) => apply(slice, text, [0, limit]);
const describe = (value) => {
  if (typeof value === 'string') return value;
  try {
    if (value instanceof Error) return '' + (value.stack || value);
    const text = typeof value === 'object' ? stringify(value) : undefined;
    return text === undefined ? String(value) : text;
  } catch { return '[unprintable]'; }
};
let written = 0;
const log = (stream) => (...values) => {
  let line = '';
  for (let index = 0; index < values.length; index += 1) line += (index ? ' ' : '') + describe(values[index]);
  line += '\\n';
  const room = outputLimit - written;
  written += line.length;
  if (room > 0) hostLog(stream, cut(line, room));
  if (written > outputLimit) { hostLimit('output'); throw new Error('The output limit was passed.'); }
};
globalThis.console = { log: log('stdout'), info: log('stdout'), debug: log('stdout'), warn: log('stderr'), error: log('stderr') };

const waiting = { __proto__: null }, pathLimit = 4096;
let nextId = 1, inFlight = 0;
let kept = { __proto__: null }, keptLength = 0, changes = 0;
const forget = () => { kept = { __proto__: null }; keptLength = 0; changes += 1; };
const keep = (key, value) => {
  keptLength += typeof value === 'string' ? value.length : 1;
  if (keptLength < textLimit) kept[key] = value;
};
const send = (method, args, key) => new Promise((resolve, reject) => {
  for (let index = 0; index < args.length; index += 1) {
    if (typeof args[index] !== 'string') throw new TypeError('fs.' + method + ' takes text arguments.');
    if (args[index].length > textLimit) throw new RangeError('Text for fs.' + method + ' is over ' + textLimit + ' characters.');
  }
  const id = nextId++;
  inFlight += 1;
  waiting[id] = { resolve, reject, key, changes };
  hostCall(id, method, stringify(args));
});
const ask = (method, path) => {
  const key = typeof path === 'string' && path.length <= pathLimit ? method + ' ' + path : undefined;
  const value = key === undefined ? undefined : kept[key];
  return value === undefined ? send(method, [path], key) : new Promise((resolve) => resolve(value));
};
const change = (method, args) => { forget(); return send(method, args); };
globalThis.fs = {
  read: (path) => ask('read', path),
  write: (path, content) => change('write', [path, content]),
  list: (path = '/') => send('list', [path]),
  exists: (path) => ask('exists', path),
  delete: (path) => change('delete', [path]),
};

const declared = Object.setPrototypeOf([], null);
let declaredLength = 0;
const taskJson = (name, task) => {
  const { id, type, description = task.instructions === undefined ? task.prompt : task.instructions } = task;
  for (const text of [description, id === undefined ? 'x' : id, type === undefined ? 'x' : type]) {
    if (typeof text !== 'string' || text === '') throw new TypeError(name + ' takes { description, id?, type? }, each a text.');
  }
  const json = stringify({ __proto__: null, description, id, type });
  declaredLength += json.length;
  if (declaredLength > textLimit || declared.length + awaited >= taskLimit) throw new RangeError('Too many tasks were declared.');
  return json;
};
const spawnSubagent = (task) => {
  const json = taskJson('spawnSubagent', task);
  declared[declared.length] = json;
};

let asked = Object.setPrototypeOf([], null), awaited = 0, round = 0, isTold = false, hasEnded = false;
const runSubagent = (task) => new PromiseOf((resolve) => {
  const json = taskJson('runSubagent', typeof task === 'string' ? { description: task } : task);
  awaited += 1;
  asked[asked.length] = { __proto__: null, json, resolve };
});
// Nothing but results can make the code go on: it has run as far as it can, and no file call is on its way.
const waitsFor = () => {
  if (isTold || hasEnded || inFlight > 0 || asked.length === 0) return '';
  isTold = true;
  const tasks = Object.setPrototypeOf([], null);
  for (let index = 0; index < asked.length; index += 1) tasks[index] = asked[index].json;
  return stringify({ __proto__: null, round, tasks });
};
// All results of a round come at once, so the code goes on in the same way whichever subagent was the first to end.
const resume = (json) => {
  const results = parse(json), before = asked;
  asked = Object.setPrototypeOf([], null);
  round += 1;
  isTold = false;
  for (let index = 0; index < before.length; index += 1) before[index].resolve(parse(results[index]));
};

const deliver = (id, ok, json) => {
  inFlight -= 1;
  const { resolve, reject, key, changes: asked } = waiting[id];
  delete waiting[id];
  if (!ok) return reject(new Error(json));
  const value = parse(json);
  if (key !== undefined && asked === changes) keep(key, value);
  resolve(value);
};
${keptValues}
const none = Object.setPrototypeOf([], null);
let stateLost = false;
const outcome = (ok, json, error) => stringify({ __proto__: null, ok, json, error, declared: ok ? declared : none, stateLost });
const run = async (main, output, declares, state, seed) => {
  outputLimit = output;
  // The rehearsal has ended before.
  hasEnded = false;
  if (state !== '') try { restore(state); } catch { stateLost = true; }
  if (declares) globalThis.spawnSubagent = spawnSubagent;
  if (seed !== null) {
    globalThis.runSubagent = runSubagent;
    // Mulberry32. Code that is run again finds the same numbers.
    Math.random = () => {
      seed = (seed + 0x6d2b79f5) | 0;
      let mixed = imul(seed ^ (seed >>> 15), 1 | seed);
      mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
  }
  try {
    const value = await main((own) => { look = own; });
    // What it started it waits for, although it does nothing with the results.
    while (asked.length > 0) await new PromiseOf((resolve) => {
      const last = asked[asked.length - 1], { resolve: own } = last;
      last.resolve = (result) => { own(result); resolve(); };
    });
    const json = stringify(value === undefined ? null : value);
    if (json === undefined) return outcome(true, 'null', null);
    if (json.length > outputLimit) { hostLimit('output'); return outcome(false, 'null', 'The output limit was passed.'); }
    return outcome(true, json, null);
  } catch (error) {
    return outcome(false, 'null', cut(describe(error), 10000));
  } finally {
    hasEnded = true;
  }
};
return { deliver, run, pack, waitsFor, resume };
`
