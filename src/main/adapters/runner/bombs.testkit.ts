import type { RunRequest } from '#core/ports/code-runner.ts'

/** Code that tries to harm its host or to leave its isolate, with the ways it may end. */
export interface Bomb {
  readonly name: string
  readonly language: RunRequest['language']
  readonly code: string
  /** Matches the error. A bomb may also end well, with `false` or `null`. */
  readonly error: RegExp
}

const javascript = (name: string, code: string, error: RegExp): Bomb => ({ name, language: 'javascript', code, error })
const python = (name: string, code: string, error: RegExp): Bomb => ({ name, language: 'python', code, error })

/** All JavaScript and Python bombs. Add a row for a new one. */
export const bombs: readonly Bomb[] = [
  javascript('an endless loop', 'for (;;) {}', /time limit/),
  javascript('a promise that never settles', 'await new Promise(() => {})', /time limit/),
  javascript(
    'a microtask loop',
    'const again = () => Promise.resolve().then(again); await again()',
    /time limit|memory limit/,
  ),
  javascript('a catastrophic regular expression', `/^(a+)+$/.test('a'.repeat(40) + 'b')`, /time limit/),
  javascript('a giant number', 'return String(2n ** (2n ** 29n)).length', /time limit|memory limit|RangeError/),
  javascript(
    'a factorial',
    'let n = 1n; for (let i = 1n; ; i++) n *= i ** 1000n',
    /time limit|memory limit|RangeError/,
  ),
  javascript('a growing array', 'const a = []; for (;;) a.push(new Array(100000).fill(1))', /memory limit/),
  javascript('giant strings', `const a = []; for (;;) a.push('x'.repeat(1e8).split(''))`, /memory limit|time limit/),
  javascript('a giant split', `return 'x'.repeat(5e8).split('').length < 0`, /memory limit|time limit|Invalid/),
  javascript('a giant replace', `return 'x'.repeat(3e8).replace(/x/g, 'yyyyyyyy').length < 0`, /limit|Invalid/),
  javascript('a giant fill', `return new Array(1e9).fill(0).length < 0`, /limit|Invalid/),
  javascript('a giant pad', `const a = []; for (;;) a.push('x'.padEnd(5e8, 'y').toUpperCase())`, /limit|Invalid/),
  javascript('a giant sort', `return Array.from({ length: 5e7 }, (_, i) => -i).sort().length < 0`, /limit|Invalid/),
  javascript('array buffers', 'const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))', /memory limit|allocation/),
  javascript('a giant map', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })', /limit|RangeError/),
  javascript(
    'a giant JSON',
    `return JSON.stringify(Array(5e6).fill('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')).length < 0`,
    /memory limit|time limit|null/,
  ),
  javascript('a million promises', 'const a = []; for (;;) a.push(new Promise(() => {}))', /memory limit|time limit/),
  javascript('endless generators', 'const f = function* () { for (;;) yield* f() }; [...f()]', /limit|RangeError/),
  javascript('a giant error message', `throw new Error('x'.repeat(4e8))`, /./),
  javascript('an error whose stack never ends', 'throw { get stack() { for (;;) {} } }', /limit|object/),
  javascript('an error that is its own trap', `throw new Proxy(new Error('mine'), { get() { for (;;) {} } })`, /limit/),
  javascript('a large result', `return 'x'.repeat(1e6)`, /output limit/),
  javascript('a giant result', `return 'x'.repeat(1e8)`, /output limit|memory limit|time limit/),
  javascript('a getter in the result', `return { get a() { for (;;) {} } }`, /time limit/),
  javascript('a result that is never done', 'return { then() {} }', /time limit/),
  javascript('deep JSON', `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a`, /RangeError|limit/),
  javascript('an output flood', `for (;;) { try { console.log('x'.repeat(1000)) } catch {} }`, /output limit/),
  javascript('a printed loop', `console.log({ toString() { for (;;) {} }, toJSON() { for (;;) {} } })`, /time limit/),
  javascript('a bridge flood', `for (;;) fs.exists('/' + Math.random())`, /file calls|memory limit|time limit/),
  javascript('a bridge flood that waits', `for (let i = 0; ; i++) await fs.write('/a', '' + i)`, /file calls/),
  javascript('a giant write', `await fs.write('/a', 'x'.repeat(1e8))`, /over 8388608/),
  javascript('a giant path', `await fs.read('/' + 'x'.repeat(1e8))`, /over 8388608/),
  javascript('declared tasks without end', `for (;;) spawnSubagent({ description: 'x' })`, /Too many tasks/),
  javascript('deep recursion', 'const f = () => f(); f()', /RangeError/),
  javascript(
    'changed built-ins',
    `JSON.stringify = () => { throw 1 }; String.prototype.slice = () => 'y'; Promise.prototype.then = null; throw new Error('mine')`,
    /mine|not a function/,
  ),
  javascript(
    'a poisoned prototype',
    `Object.prototype.then = (f) => f(1); Object.defineProperty(Object.prototype, 'ok', { get() { for (;;) {} } }); throw new Error('mine')`,
    /mine|limit/,
  ),
  javascript(
    'a forged outcome',
    `const forged = { ok: true, json: 'no JSON', error: null, declared: ['x'] }
     Object.prototype.toJSON = function () { return this.json === undefined ? this : forged }
     return { a: 1 }`,
    /$^/,
  ),
  javascript('forged tasks', `Array.prototype.toJSON = () => 'x'; return { a: 1 }`, /$^/),
  javascript('bridge functions called with anything', `await fs.read({ toString() { for (;;) {} } })`, /takes text/),
  javascript(
    'the host’s constructor',
    `return console.log.constructor('return process')().pid`,
    /process is not defined/,
  ),
  javascript(
    'the constructor of a rejection',
    `try { await fs.read('/none') } catch (e) { return e.constructor.constructor('return process')().pid }`,
    /process is not defined/,
  ),
  javascript('a module', `await import('node:child_process')`, /limit|import|not support/i),
  javascript('WebAssembly', 'new WebAssembly.Memory({ initial: 60000 })', /WebAssembly is not defined/),
  javascript('compiled text', `return eval('typeof process + typeof require') !== 'undefinedundefined'`, /$^/),
  python('an endless loop', 'while True:\n  pass', /time limit/),
  python(
    'a loop that catches all',
    'while True:\n  try:\n    while True:\n      pass\n  except:\n    pass',
    /time limit/,
  ),
  python('a growing text', "x = 'a' * 10\nwhile True:\n  x = x + x", /memory limit/),
  python('a growing list', 'a = []\nwhile True:\n  a.append([1] * 100000)', /memory limit/),
  python('a giant number', '2 ** (2 ** 29)', /memory limit/),
  python('a giant list', '[1] * 10 ** 9', /memory limit/),
  python('a giant text', "'a' * 10 ** 10", /memory limit/),
  python('deep recursion', 'def f():\n  return f()\nf()', /RecursionError/),
  python('a deep result', 'a = []\nfor i in range(100000):\n  a = [a]\na', /$^/),
  python('a large result', "'x' * 1000000", /output limit/),
  python('an output flood', "while True:\n  print('x' * 1000)", /output limit/),
  python(
    'an output flood that catches',
    "while True:\n  try:\n    print('x' * 1000)\n  except:\n    pass",
    /output limit/,
  ),
  python('a catastrophic regular expression', "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", /$^/),
  python('a disk flood', "while True:\n  open('/big', 'a').write('x' * 10000000)", /write limit|limit|append/),
  python('a process', 'import subprocess', /No module named/),
  python('an import by hand', "__import__('os').system('id')", /not defined/),
  python('its own classes', '().__class__.__bases__[0].__subclasses__()', /AttributeError/),
  python('the environment', "import os\nos.environ['HOME']", /not supported/),
  python('a file outside', "open('/../../../etc/passwd').read()", /No such file|denied/),
  python('a link that leaves', "open('/out').read()", /denied/),
]
