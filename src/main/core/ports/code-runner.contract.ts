import { describe, expect, it } from 'vitest'
import {
  type CodeRunner,
  defaultRunnerLimits,
  type JavaScriptRun,
  type RunnerFiles,
  type RunnerLimits,
} from './code-runner.ts'

const never = new AbortController().signal

/** The files of a run, as a map that a test can inspect. */
export function memoryFiles(initial: Record<string, string> = {}): RunnerFiles & { readonly all: Map<string, string> } {
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

/** What every code runner must do with JavaScript. */
export function describeCodeRunner(name: string, create: () => CodeRunner): void {
  describe(`CodeRunner: ${name}`, () => {
    const runner = create()
    const start = (code: string, given: Partial<JavaScriptRun> = {}, signal = never) =>
      runner.run({ language: 'javascript', code, files: memoryFiles(), limits: defaultRunnerLimits, ...given }, signal)
    const limited = (limits: Partial<RunnerLimits>) => ({ limits: { ...defaultRunnerLimits, ...limits } })

    it.each<[string, unknown]>([
      ['1 + 1', 2],
      ['return [1, "a", null, { b: true }]', [1, 'a', null, { b: true }]],
      ['const x = await Promise.resolve(5); return x * 2', 10],
      ['let x = 1; x += 1', null],
      ['return undefined', null],
      ['return "é\\n\\ud83d\\ude00"', 'é\n😀'],
      ['#!/usr/bin/env node\nreturn 6', 6],
    ])('returns the value of %s', async (code, value) => {
      const { outcome, declared } = await start(code)
      expect(outcome).toMatchObject({ ok: true, value, stdout: '', stderr: '', error: null })
      expect(outcome.duration_ms).toBeGreaterThanOrEqual(0)
      expect(declared).toEqual([])
    })

    it('keeps printed output in order, separate from errors', async () => {
      const { outcome } = await start(`console.log('one', 2, { three: 3 }); console.error('bad'); console.log('end')`)
      expect([outcome.stdout, outcome.stderr]).toEqual(['one 2 {"three":3}\nend\n', 'bad\n'])
    })

    it('works on the given files, and passes their failures to the code as errors', async () => {
      const files = memoryFiles({ '/a': 'text' })
      const code = `await fs.write('/b', (await fs.read('/a')).toUpperCase())
        await fs.delete('/a')
        const message = await fs.read('/none').catch((error) => error.message)
        return [await fs.list('/'), await fs.exists('/a'), message]`
      expect((await start(code, { files })).outcome.value).toEqual([['/b'], false, 'There is no file at /none.'])
      expect([...files.all]).toEqual([['/b', 'TEXT']])
    })

    it.each([
      ['throw new Error("oops")', 'oops'],
      ['return (', 'SyntaxError'],
      ['null.x', 'TypeError'],
      ['await fs.read(5)', 'takes text'],
      ['const a = {}; a.a = a; return a', 'circular'],
    ])('reports the failure of %s and returns no value', async (code, message) => {
      const { outcome } = await start(code)
      expect(outcome).toMatchObject({ ok: false, value: null, error: expect.stringContaining(message) })
    })

    it('keeps the output printed before the failure', async () => {
      const { outcome } = await start('console.log("before"); throw new Error("after")')
      expect(outcome).toMatchObject({ ok: false, stdout: 'before\n' })
    })

    it.each<[string, Partial<RunnerLimits>, string]>([
      ['for (;;) console.log("x".repeat(100))', { outputBytes: 1000 }, 'The output limit of 1000 bytes was passed.'],
      ['for (;;) await fs.exists("/" + Math.random())', { bridgeCalls: 20 }, 'The limit of 20 file calls was passed.'],
      ['await new Promise(() => {})', { timeoutMs: 200 }, 'The time limit of 200 ms was passed.'],
    ])('ends %s at its limit and names the limit', async (code, limits, error) => {
      const { outcome } = await start(code, limited(limits))
      expect(outcome).toMatchObject({
        ok: false,
        value: null,
        error: `${error} The run was ended and its writes are dropped.`,
      })
      expect(outcome.stdout.length).toBeLessThanOrEqual(1000)
    })

    it('returns declared tasks in their order', async () => {
      const code = `spawnSubagent({ description: 'one' }); spawnSubagent({ description: 'two', id: 'b', type: 'reviewer' })`
      const { declared, outcome } = await start(`${code}; return 1`, { declares: true })
      expect(declared.map((json) => JSON.parse(json))).toEqual([
        { description: 'one' },
        { description: 'two', id: 'b', type: 'reviewer' },
      ])
      expect(outcome.value).toBe(1)
    })

    it('drops declared tasks of a failed run, refuses invalid ones, and has the function only on request', async () => {
      const failing = await start(`spawnSubagent({ description: 'one' }); throw new Error('boom')`, { declares: true })
      expect(failing).toMatchObject({ declared: [], outcome: { ok: false } })
      const wrong = await start(`spawnSubagent({ id: 'x' })`, { declares: true })
      expect(wrong.outcome.error).toContain('spawnSubagent takes { description, id?, type? }, each a text.')
      expect((await start('return typeof spawnSubagent')).outcome.value).toBe('undefined')
    })

    it('rejects with the reason of the signal, before the start and in the middle', async () => {
      await expect(start('1', {}, AbortSignal.abort('before'))).rejects.toBe('before')
      const controller = new AbortController()
      const files = {
        ...memoryFiles(),
        list: async () => {
          controller.abort('stopped')
          return []
        },
      }
      const code = `await fs.list('/a'); await new Promise(() => {})`
      await expect(start(code, { files }, controller.signal)).rejects.toBe('stopped')
    })
  })
}
