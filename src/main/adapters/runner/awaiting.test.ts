import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { memoryFiles } from '#core/ports/code-runner.contract.ts'
import { type AwaitedRound, defaultRunnerLimits, type RunResult } from '#core/ports/code-runner.ts'
import { createCodeRunner } from './code-runner.ts'

const childPath = join(String(process.env.COPPICE_TEST_CHILDREN), 'runner-child.mjs')
const runner = createCodeRunner({ nodePath: process.execPath, childPath })
const folder = mkdtempSync(join(tmpdir(), 'coppice-awaiting-'))
afterAll(() => {
  runner[Symbol.dispose]()
  rmSync(folder, { recursive: true })
})
const never = new AbortController().signal

const languages = {
  javascript: (code: string, rounds: readonly AwaitedRound[] = [], state?: Uint8Array | null) =>
    runner.run(
      {
        ...{ language: 'javascript', code, limits: defaultRunnerLimits, declares: true, files: memoryFiles() },
        ...{ awaiting: { rounds, seed: 7 }, ...(state !== undefined && { state }) },
      },
      never,
    ),
  python: (code: string, rounds: readonly AwaitedRound[] = [], state?: Uint8Array | null) =>
    runner.run(
      {
        ...{ language: 'python', code, limits: defaultRunnerLimits },
        ...{ mount: { folder, enter: (program: readonly string[]) => program }, awaiting: { rounds, seed: 7 } },
        ...(state !== undefined && { state }),
      },
      never,
    ),
}

/** Runs the code again and again, until it waits for nothing more. Each task's result is its description in capitals. */
async function toEnd(run: (rounds: readonly AwaitedRound[]) => Promise<RunResult>) {
  const rounds: AwaitedRound[] = []
  for (;;) {
    const result = await run(rounds)
    if (!result.awaits) return { rounds: rounds.map(({ tasks }) => tasks.map((task) => JSON.parse(task))), ...result }
    const results = result.awaits.map((task) => JSON.stringify({ said: JSON.parse(task).description.toUpperCase() }))
    rounds.push({ tasks: result.awaits, results })
  }
}

const [a, b, c] = ['a', 'b', 'c'].map((description) => ({ description }))

describe('awaited subagents', () => {
  it.each([
    [
      'javascript',
      `const [x, y] = await Promise.all([runSubagent('a'), runSubagent({ description: 'b' })]);
       await fs.list('/');
       const z = await runSubagent({ description: 'c', id: 'i', type: 't' });
       console.log('once');
       return [x, y, z].map(({ said }) => said)`,
    ],
    [
      'python',
      `x, y = run_subagents(['a', {'description': 'b'}])
z = run_subagent('c', id='i', type='t')
print('once')
[one['said'] for one in [x, y, z]]`,
    ],
  ] as const)('in %s are asked for in rounds, and the code goes on with their results', async (language, code) => {
    const { outcome, rounds, awaits } = await toEnd((known) => languages[language](code, known))
    expect(outcome).toMatchObject({ ok: true, value: ['A', 'B', 'C'], stdout: 'once\n' })
    expect(rounds).toEqual([[a, b], [{ ...c, id: 'i', type: 't' }]])
    expect(awaits).toBeUndefined()
  })

  it('are all that the code has asked for by the time it can do nothing else', async () => {
    const code = `const first = runSubagent('a').then(() => runSubagent('c'));
      for (let i = 0; i < 1000; i += 1) await null;
      await fs.exists('/x');
      const second = runSubagent('b');
      return Promise.race([second.then(() => 'b'), first.then(() => 'c')])`
    const { outcome, rounds } = await toEnd((known) => languages.javascript(code, known))
    expect(rounds).toEqual([[a, b], [c]])
    expect(outcome).toMatchObject({ ok: true, value: 'b' })
  })

  it('run although the code has no use for their results', async () => {
    const { outcome, rounds } = await toEnd((known) => languages.javascript(`runSubagent('a'); return 1`, known))
    expect({ rounds, value: outcome.value }).toEqual({ rounds: [[a]], value: 1 })
  })

  it.each([
    ['javascript', `try { await runSubagent('a') } catch {} finally { console.log('no') }; return 1`],
    ['python', `try:\n  run_subagent('a')\nexcept BaseException:\n  print('no')\nfinally:\n  print('no')\n1`],
  ] as const)('in %s cannot be caught', async (language, code) => {
    expect(await languages[language](code)).toMatchObject({ awaits: ['{"description":"a"}'], outcome: { stdout: '' } })
  })

  it.each([
    ['javascript', `await runSubagent('other')`],
    ['python', `run_subagent('other')`],
    ['python', `run_subagents(['a', 'other'])`],
    ['javascript', `await Promise.all([runSubagent('a'), runSubagent('other')])`],
  ] as const)('in %s that are others than before end the run with both: %s', async (language, code) => {
    const { outcome, awaits } = await languages[language](code, [{ tasks: ['{"description":"a"}'], results: ['1'] }])
    expect(awaits).toBeUndefined()
    expect(outcome.ok).toBe(false)
    expect(outcome.error).toContain('no longer asks for the same ones')
    expect(outcome.error).toContain('{"description":"other"}')
  })

  it.each([
    ['javascript', 'runSubagent({})'],
    ['javascript', `runSubagent({ description: 'a', id: 3 })`],
    ['python', 'run_subagents([{}])'],
    ['python', `run_subagent('')`],
  ] as const)('in %s need a text: %s', async (language, code) => {
    const { outcome, awaits } = await languages[language](code)
    expect(awaits).toBeUndefined()
    expect(outcome.error).toContain('TypeError')
  })

  it('find the same random numbers in each run, and the clock of the moment', async () => {
    const code = `const number = Math.random(); await runSubagent('n' + number); return [number, Math.random(), Date.now()]`
    const { outcome } = await toEnd((known) => languages.javascript(code, known))
    const again = await toEnd((known) => languages.javascript(code, known))
    const [[first, second, then], [one, two, now]] = [outcome.value, again.outcome.value] as [number[], number[]]
    expect([first, second]).toEqual([one, two])
    expect(first).not.toBe(second)
    expect(now).toBeGreaterThanOrEqual(then as number)
  })

  it('keep the variables of a run, and none of what it waited for', async () => {
    const js = `var kept = (await runSubagent('a')).said; async function ask() { return runSubagent('b') }; return kept`
    const { state } = await toEnd((known) => languages.javascript(js, known, null))
    expect(state?.lost ?? []).toEqual([])
    const later = await toEnd((known) => languages.javascript('return [kept, (await ask()).said]', known, state?.after))
    expect(later.outcome.value).toEqual(['A', 'B'])

    const python = `kept = run_subagent('a')['said']\ndef ask():\n  return run_subagent('b')['said']`
    const { state: own } = await toEnd((known) => languages.python(python, known, null))
    const further = await toEnd((known) => languages.python('[kept, ask()]', known, own?.after))
    expect(further.outcome.value).toEqual(['A', 'B'])
  })

  it('cannot be had by code that may have none, although an earlier run could', async () => {
    const { state } = await toEnd((known) => languages.python(`def ask():\n  return run_subagent('b')`, known, null))
    const request = {
      language: 'python',
      code: 'ask()',
      limits: defaultRunnerLimits,
      state: state?.after ?? null,
    } as const
    const { outcome, awaits } = await runner.run({ ...request, mount: { folder, enter: (one) => one } }, never)
    expect(awaits).toBeUndefined()
    expect(outcome.error).toContain('may have no subagents')
    const js = { language: 'javascript', code: 'typeof runSubagent', limits: defaultRunnerLimits } as const
    expect((await runner.run({ ...js, files: memoryFiles() }, never)).outcome.value).toBe('undefined')
  })

  it.each([
    `_waiting_['asked'] = [1]\n1/0`,
    `_waiting_['asked'] = [None, {}]\n1/0`,
    `_waiting_['asked'] = [[1, 2, 3]]\n_waiting_['at'] = 'x'\n1/0`,
    `_waiting_['asked'] = [['a', None, None]]\n_waiting_['at'] = -1\n1/0`,
    `_waiting_ = 5\nrun_subagent('a')`,
  ])('that Python makes up are none: %s', async (code) => {
    const { outcome, awaits } = await languages.python(code)
    expect(awaits).toBeUndefined()
    expect(outcome.ok).toBe(false)
    expect(outcome.error).not.toBe('')
  })

  it('leave what Python wrote before to the trial, which is dropped', async () => {
    const code = `import pathlib\npathlib.Path('/x').write_text('x')\nrun_subagent('a')\npathlib.Path('/x').write_text('y')`
    expect(await languages.python(code)).toMatchObject({ awaits: ['{"description":"a"}'] })
    expect(readFileSync(join(folder, 'x'), 'utf8')).toBe('x')
  })
})
