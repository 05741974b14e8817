import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryFiles } from '#core/ports/code-runner.contract.ts'
import { defaultRunnerLimits, stateBytesLimit } from '#core/ports/code-runner.ts'
import { runs } from '#core/ports/test-size.testkit.ts'
import { createCodeRunner } from './code-runner.ts'

const childPath = join(String(process.env.COPPICE_TEST_CHILDREN), 'runner-child.mjs')
const runner = createCodeRunner({ nodePath: process.execPath, childPath })
const signal = new AbortController().signal

/** Runs pieces of code one after the other, each in its own child, on the state of the last good one. */
async function runAll(codes: readonly string[], state: Uint8Array | null = null, limits = defaultRunnerLimits) {
  const seen = []
  let kept = state
  for (const code of codes) {
    const result = await runner.run({ language: 'javascript', code, files: memoryFiles(), limits, state: kept }, signal)
    seen.push(result)
    kept = result.state?.after ?? kept
  }
  return { seen, kept, value: seen.at(-1)?.outcome.value, error: seen.at(-1)?.outcome.error }
}

describe('what JavaScript has at its top', () => {
  /** What a call has at its top, and an expression of a later call with its value. */
  const kinds: readonly (readonly [what: string, code: string, read: string, value: unknown])[] = [
    ['a constant', 'const total = 6', 'total', 6],
    ['a var and a name without a word', 'var one = 1; two = 2', '[one, two]', [1, 2]],
    ['names that a pattern takes apart', 'const { p, q: [r = 3] } = { p: 1, q: [] }', '[p, r]', [1, 3]],
    ['what awaits', 'const rows = await Promise.resolve([1, 2])', 'rows', [1, 2]],
    ['a function that uses other names', 'const rate = 2; function price(n) { return n * rate }', 'price(4)', 8],
    ['an arrow that is async', 'const load = async (n) => n + 1', 'await load(1)', 2],
    ['a generator', 'function* count() { yield 1; yield 2 }', '[...count()]', [1, 2]],
    ['functions that call each other', 'const ping = () => pong(); const pong = () => 5', 'ping()', 5],
    ['a class that extends another', 'class A { one() { return 1 } }; class B extends A {}', 'new B().one()', 1],
    [
      'one before the one it extends',
      'D = 1; C = class { one() { return 1 } }; D = class extends C {}',
      'new D().one()',
      1,
    ],
    [
      'an object with methods',
      'const api = { add(a, b) { return a + b }, twice: (n) => n * 2 }',
      'api.add(api.twice(1), 1)',
      3,
    ],
    [
      'a map, a set, a date',
      'const m = new Map([["k", new Set([1])]]), d = new Date(5)',
      '[m.get("k").has(1), d.getTime()]',
      [true, 5],
    ],
    ['a pattern', 'const pattern = /a+/gi', '"xAA".match(pattern)', ['AA']],
    [
      'bytes',
      'const bytes = new Uint8Array([1, 255]), big = new BigInt64Array([5n])',
      '[bytes[1], String(big[0])]',
      [255, '5'],
    ],
    [
      'numbers that JSON lacks',
      'const odd = [NaN, -0, 1 / 0, 10n ** 20n]',
      'odd.map((n) => Object.is(n, -0) ? "-0" : String(n))',
      ['NaN', '-0', 'Infinity', '100000000000000000000'],
    ],
    [
      'an object that contains itself',
      'const me = { name: "me" }; me.self = me; const twin = me',
      '[me.self.self.name, twin === me]',
      ['me', true],
    ],
    [
      'an error',
      'const failed = new RangeError("far")',
      '[failed instanceof RangeError, failed.message]',
      [true, 'far'],
    ],
    [
      'a name that stands only in a text',
      'const text = "absent"; // also absent2',
      'typeof absent + typeof absent2',
      'undefinedundefined',
    ],
    [
      'odd keys',
      'const keys = JSON.parse(\'{"__proto__": 1, "constructor": 2}\')',
      '[Object.keys(keys), {}.constructor === Object]',
      [['__proto__', 'constructor'], true],
    ],
  ]

  it('stays for later calls, of any kind', async () => {
    const define = kinds.map(([, code]) => code).join('\n')
    const read = `return [${kinds.map(([, , expression]) => expression).join(',\n')}]`
    const { value, error } = await runAll([`${define}\nreturn 1`, read])
    expect(error).toBeNull()
    const values = value as readonly unknown[]
    expect(kinds.map(([what], index) => [what, values[index]])).toEqual(kinds.map(([what, , , last]) => [what, last]))
  })

  // Mutation: a call that is nothing but a function was a single expression, and left nothing.
  it.each<[string, readonly string[], unknown]>([
    ['a function alone', ['function f() { return 1 }', 'async function g() { return f() }', 'await g()'], 1],
    ['a class alone, after a comment', ['// One.\nclass A { one() { return 1 } }', 'new A().one()'], 1],
    ['changed in later calls', ['let n = 6; return 1', 'n += 1', 'const n = globalThis.n + "!"', 'n'], '7!'],
    ['TypeScript', ['const n: number = 4; interface A { a: number }', 'n'], 4],
    ['strict', ["'use strict'; try { undeclared = 2 } catch (e) { var why = e.name }", 'why'], 'ReferenceError'],
  ])('stays for later calls: %s', async (_, codes, value) => {
    expect(await runAll(codes)).toMatchObject({ value, error: null })
  })

  it('is named when it cannot stay, and the rest stays', async () => {
    const code = `
      class A {}; const instance = new A(); const promise = Promise.resolve(); const within = { list: [promise] }
      const own = parseInt, bound = (() => {}).bind(null), symbol = Symbol('s')
      let deep = []; for (let i = 0; i < 1e5; i++) deep = [deep]
      const rest = 1`
    const { seen, value } = await runAll([code, 'rest'])
    const lost = ['instance', 'promise', 'within', 'own', 'bound', 'symbol', 'deep']
    expect([[...(seen[0]?.state?.lost ?? [])].sort(), value]).toEqual([lost.sort(), 1])
  })

  it('is that of the last good call', async () => {
    const { seen, value } = await runAll(['const a = 1', 'a = 2; throw new Error("no")', 'a'])
    expect([seen[1]?.state?.after, value]).toEqual([null, 1])
  })

  it('leaves nothing when the code has nothing at its top, and never takes the place of what Coppice gives', async () => {
    const { seen } = await runAll([
      'return 1',
      'const fs = 1; console = 2; return 1',
      'return [typeof fs.read, typeof console.log]',
    ])
    expect(seen.map(({ state }) => state?.after?.length)).toEqual([0, 0, 0])
    expect(seen[2]?.outcome.value).toEqual(['function', 'function'])
  })

  it.each([stateBytesLimit, 40_000_000])('is not kept above its size, and the call stays good: %i', async (size) => {
    const { seen, value } = await runAll(['const a = 1', `const big = 'x'.repeat(${size})`, 'a'])
    expect([seen[1]?.outcome.ok, seen[1]?.state?.after, value]).toEqual([true, null, 1])
  })

  it('that cannot be read begins without any, and says so', async () => {
    for (const state of [
      '?',
      'JavaScript 1\n',
      'JavaScript 1\n{"nodes":[',
      'JavaScript 2\n{}',
      'monty 1 128\n\0\xff',
    ]) {
      const { seen } = await runAll(['return 1'], new TextEncoder().encode(state))
      expect([seen[0]?.outcome.ok, seen[0]?.state?.restored], state).toEqual([true, state === 'JavaScript 1\n'])
    }
  })

  it('holds data of any shape', async () => {
    const values = fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(values, async (data) => {
        const { value } = await runAll([`const data = ${JSON.stringify(data)}`, 'data'])
        expect(value).toEqual(JSON.parse(JSON.stringify(data)))
      }),
      runs(20),
    )
  })
})
