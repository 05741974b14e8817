import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultRunnerLimits, type RunnerFiles, type RunnerLimits } from '#core/ports/code-runner.ts'
import { createCodeRunner } from './code-runner.ts'

const runner = createCodeRunner({ nodePath: process.execPath, childPath: join(import.meta.dirname, 'child.ts') })
const never = new AbortController().signal

function memoryFiles(initial: Record<string, string> = {}): RunnerFiles & { readonly all: Map<string, string> } {
  const all = new Map(Object.entries(initial))
  return {
    all,
    async read(path) {
      const text = all.get(path)
      if (text === undefined) throw new Error(`There is no file at ${path}.`)
      return text
    },
    write: async (path, content) => void all.set(path, content),
    list: async () => [...all.keys()].sort(),
    exists: async (path) => all.has(path),
    delete: async (path) => void all.delete(path),
  }
}

const run = async (
  code: string,
  limits: Partial<RunnerLimits> = {},
  files: RunnerFiles = memoryFiles(),
  signal = never,
) => {
  const request = { language: 'javascript', code, files, limits: { ...defaultRunnerLimits, ...limits } } as const
  return (await runner.run(request, signal)).outcome
}

describe('code runner', () => {
  it.each<[string, unknown]>([
    ['1 + 1', 2],
    ['return [1, "a", null, { b: true }]', [1, 'a', null, { b: true }]],
    ['const x = await Promise.resolve(5); return x * 2', 10],
    ['let x = 1; x += 1', null],
    ['return undefined', null],
    ['({ toJSON: () => "own" })', 'own'],
  ])('gives the value of %s', async (code, value) => {
    expect(await run(code)).toMatchObject({ ok: true, value, error: null })
  })

  it('captures what is printed, in order, apart from errors', async () => {
    const outcome = await run(
      `for (let i = 0; i < 300; i++) console.log('line', i, { i }); console.error('bad'); return 1`,
    )
    expect(outcome.stdout.split('\n')).toHaveLength(301)
    expect(outcome.stdout).toContain('line 299 {"i":299}\n')
    expect(outcome.stderr).toBe('bad\n')
  })

  it('works on files through the bridge, and failures reach the code as errors', async () => {
    const files = memoryFiles({ '/a': 'text' })
    const outcome = await run(
      `await fs.write('/b', (await fs.read('/a')).toUpperCase());
       await Promise.all([fs.write('/c', '1'), fs.delete('/a')]);
       let message = '';
       try { await fs.read('/none') } catch (error) { message = error.message }
       return { list: await fs.list('/'), a: await fs.exists('/a'), message }`,
      {},
      files,
    )
    expect(outcome.value).toEqual({ list: ['/b', '/c'], a: false, message: 'There is no file at /none.' })
    expect(files.all.get('/b')).toBe('TEXT')
  })

  it.each([
    ['throw new Error("oops")', 'oops'],
    ['return (', 'SyntaxError'],
    ['null.x', 'TypeError'],
    ['await fs.read(5)', 'takes text'],
    ['throw { toString() { throw 1 } }', ''],
    ['const a = {}; a.a = a; return a', 'circular'],
  ])('reports the failure of %s', async (code, message) => {
    const outcome = await run(code)
    expect(outcome).toMatchObject({ ok: false, value: null })
    expect(outcome.error).toContain(message)
  })

  it('offers no way out of the isolate', async () => {
    const outcome = await run(`
      const names = ['process', 'require', 'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'fetch', 'setTimeout', 'Buffer', 'performance']
      const found = names.filter((name) => typeof globalThis[name] !== 'undefined')
      const ctors = [fs.read, console.log].map((f) => f.constructor('return typeof process')())
      let imported = 'no'
      try { await import('node:fs'); imported = 'yes' } catch {}
      const keys = Object.getOwnPropertyNames(globalThis).filter((name) => /ivm|isolate|^reference$|host/i.test(name))
      return { found, ctors, imported, keys }`)
    expect(outcome.value).toEqual({ found: [], ctors: ['undefined', 'undefined'], imported: 'no', keys: [] })
  })

  it('gives the child no environment', async () => {
    process.env.COPPICE_CANARY = 'secret-canary'
    const running = run('await new Promise(() => {})', { timeoutMs: 1500 })
    await new Promise((resolve) => setTimeout(resolve, 700))
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ')
    const environments = children.filter(Boolean).map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'))
    expect(environments.length).toBeGreaterThan(0)
    for (const environment of environments) expect(environment).not.toContain('canary')
    await running
    delete process.env.COPPICE_CANARY
  })

  it('refuses Python for now and stops at once when told to', async () => {
    const request = { language: 'python' as const, code: '1', files: memoryFiles(), limits: defaultRunnerLimits }
    await expect(runner.run(request, never)).rejects.toMatchObject({ code: 'unsupported_language' })
    const controller = new AbortController()
    setTimeout(() => controller.abort('stopped'), 300)
    await expect(run('for (;;) {}', {}, memoryFiles(), controller.signal)).rejects.toBe('stopped')
  })
})

describe('code runner under bombs', () => {
  it.each<[string, string, RegExp]>([
    ['an endless loop', 'for (;;) {}', /time limit/],
    ['a promise that never settles', 'await new Promise(() => {})', /time limit/],
    ['a microtask loop', 'const again = () => Promise.resolve().then(again); await again()', /time limit|memory limit/],
    ['a catastrophic regular expression', `/^(a+)+$/.test('a'.repeat(40) + 'b')`, /time limit/],
    ['a giant number', 'return String(2n ** (2n ** 29n)).length', /time limit|memory limit|RangeError/],
    ['a growing array', 'const a = []; for (;;) a.push(new Array(100000).fill(1))', /memory limit/],
    ['giant strings', `const a = []; for (;;) a.push('x'.repeat(1e8).split(''))`, /memory limit|time limit/],
    ['array buffers', 'const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))', /memory limit|allocation/],
    [
      'a giant JSON',
      `return JSON.stringify(Array(5e6).fill('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')).length < 0`,
      /memory limit|time limit|null/,
    ],
    ['a giant error message', `throw new Error('x'.repeat(4e8))`, /./],
    ['a large result', `return 'x'.repeat(1e6)`, /output limit/],
    ['a giant result', `return 'x'.repeat(1e8)`, /output limit|memory limit|time limit/],
    ['an output flood', `for (;;) { try { console.log('x'.repeat(1000)) } catch {} }`, /output limit/],
    ['a bridge flood', `for (;;) fs.exists('/a')`, /file calls|memory limit|time limit/],
    ['a bridge flood that waits', `for (;;) await fs.exists('/a')`, /file calls/],
    ['a giant write', `await fs.write('/a', 'x'.repeat(1e8))`, /over 8388608/],
    ['deep recursion', 'const f = () => f(); f()', /RangeError/],
    [
      'changed built-ins',
      `JSON.stringify = () => { throw 1 }; String.prototype.slice = () => 'y'; Promise.prototype.then = null; throw new Error('mine')`,
      /mine|not a function/,
    ],
    ['deep JSON', `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a`, /RangeError|limit/],
    ['a getter in the result', `return { get a() { for (;;) {} } }`, /time limit/],
  ])('survives %s', async (_, code, error) => {
    // Another limit is met first, also on a machine that is slow, unless time is what may end it.
    const timeoutMs = error.source.includes('time limit') || error.source === '.' ? 1500 : 30_000
    const before = performance.now()
    const outcome = await run(code, { timeoutMs, bridgeCalls: 2000 })
    if (outcome.ok) expect(outcome.value).toBe(false)
    else expect(outcome.error).toMatch(error)
    expect(JSON.stringify(outcome).length).toBeLessThan(600_000)
    expect(performance.now() - before, 'and does not go on').toBeLessThan(timeoutMs + 10_000)
  })

  it('keeps what was printed before the end', async () => {
    expect((await run(`console.log('before'); for (;;) {}`, { timeoutMs: 500 })).stdout).toBe('before\n')
  })

  it('runs twenty at once', { timeout: 30_000 }, async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => run(`return ${index}`)))
    expect(outcomes.map((outcome) => outcome.value)).toEqual(Array.from({ length: 20 }, (_, index) => index))
  })
})
