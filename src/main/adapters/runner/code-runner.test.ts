import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeCodeRunner, memoryFiles } from '#core/ports/code-runner.contract.ts'
import { defaultRunnerLimits, type RunnerFiles, type RunnerLimits } from '#core/ports/code-runner.ts'
import { createCodeRunner } from './code-runner.ts'

/** The child as one bundled file, as in the built app. It starts much faster than the sources. */
const childPath = join(String(process.env.COPPICE_TEST_CHILDREN), 'runner-child.mjs')
const runner = createCodeRunner({ nodePath: process.execPath, childPath })
const never = new AbortController().signal

const run = async (
  code: string,
  limits: Partial<RunnerLimits> = {},
  files: RunnerFiles = memoryFiles(),
  signal = never,
) => {
  const request = { language: 'javascript', code, files, limits: { ...defaultRunnerLimits, ...limits } } as const
  return (await runner.run(request, signal)).outcome
}

describeCodeRunner('isolates in child processes', () => runner)

/** Environments of the runner's children. A process that is still starting has its parent's environment. */
/** Empty when a child ends meanwhile. */
function environmentsOfChildren(): readonly string[] {
  try {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ')
    return children
      .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(childPath))
      .map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'))
  } catch {
    return []
  }
}

describe('code runner', () => {
  it.each<[string, unknown]>([
    ['1 + 1', 2],
    ['return [1, "a", null, { b: true }]', [1, 'a', null, { b: true }]],
    ['const x = await Promise.resolve(5); return x * 2', 10],
    ['let x = 1; x += 1', null],
    ['return undefined', null],
    ['({ toJSON: () => "own" })', 'own'],
    ['const f = (x: number): string => String(x as unknown); return f(4)', '4'],
    ['[1, 2].map((x: number) => x + 1)', [2, 3]],
    ['#!/usr/bin/env node\nreturn 6', 6],
  ])('gives the value of %s', async (code, value) => {
    expect(await run(code)).toMatchObject({ ok: true, value, error: null })
  })

  it('captures printed text in order, separate from errors', async () => {
    const outcome = await run(
      `for (let i = 0; i < 300; i++) console.log('line', i, { i }); console.error('bad'); return 1`,
    )
    expect(outcome.stdout.split('\n')).toHaveLength(301)
    expect(outcome.stdout).toContain('line 299 {"i":299}\n')
    expect(outcome.stderr).toBe('bad\n')
  })

  it('works on files through the bridge, and reports failures to the code as errors', async () => {
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

  it('reads a file once for repeated reads, and again after every change', async () => {
    const files = memoryFiles({ '/a': 'text' })
    let asked = 0
    const counting = {
      ...files,
      read(path: string) {
        asked += 1
        return files.read(path)
      },
    }
    const outcome = await run(
      `const seen = []
       const early = fs.read('/a')
       await fs.write('a', 'other')
       seen.push(await early)
       for (let i = 0; i < 1000; i++) seen.push(await fs.read('/a'))
       await fs.delete('/a')
       return [...new Set(seen), await fs.exists('/a')]`,
      {},
      { ...counting, write: (path, content) => files.write(path.replace(/^a$/, '/a'), content) },
    )
    expect(outcome.value).toEqual(['text', 'other', false])
    expect(asked).toBe(2)
  })

  it.each([
    ['throw new Error("oops")', 'oops'],
    ['return (', 'SyntaxError'],
    ['null.x', 'TypeError'],
    ['await fs.read(5)', 'takes text'],
    ['let x: number = (', 'SyntaxError'],
    ['enum Colour { Red }', 'SyntaxError'],
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
    let environments: readonly string[] = []
    await expect
      .poll(() => {
        environments = environmentsOfChildren()
        return environments
      })
      .not.toEqual([])
    for (const environment of environments) expect(environment).not.toContain('canary')
    await running
    delete process.env.COPPICE_CANARY
  })

  it.each([
    ['no JSON', { type: 'done', ok: true, json: '{', error: null, declared: [] }],
    ['another shape', { type: 'done', ok: true, json: '1' }],
  ])('does not trust a child whose outcome has %s', async (_, message) => {
    const childPath = join(mkdtempSync(join(tmpdir(), 'coppice-child-')), 'child.mjs')
    const answer = `process.on('message', () => process.send(${JSON.stringify(message)})); process.send({ type: 'ready' })`
    writeFileSync(childPath, answer)
    using lied = createCodeRunner({ nodePath: process.execPath, childPath })
    const request = { language: 'javascript', code: '1', files: memoryFiles(), limits: defaultRunnerLimits } as const
    expect((await lied.run(request, never)).outcome).toMatchObject({
      ok: false,
      error: 'The code runner sent something it should not.',
    })
  })

  it('stops at once when asked to', async () => {
    const controller = new AbortController()
    const files = { ...memoryFiles(), exists: async () => controller.abort('stopped') ?? false }
    const code = `await fs.exists('/'); for (;;) {}`
    await expect(run(code, {}, files, controller.signal)).rejects.toBe('stopped')
  })

  it('keeps the text printed before the end', async () => {
    expect((await run(`console.log('before'); for (;;) {}`, { timeoutMs: 500 })).stdout).toBe('before\n')
  })

  it('runs twenty at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => run(`return ${index}`)))
    expect(outcomes.map((outcome) => outcome.value)).toEqual(Array.from({ length: 20 }, (_, index) => index))
  })
})
