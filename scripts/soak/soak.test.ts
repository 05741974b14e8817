import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Options, readOptions } from './options.ts'
import type { Chunk, Part } from './part.ts'
import { parts as realParts } from './parts.ts'
import { machineLine, markdownReport, shownTime, textReport } from './report.ts'
import { root } from './run-chunk.ts'
import { soak } from './soak.ts'
import { type ChunkResult, lockState, readState } from './state.ts'

const minute = 60_000
const part = (name: string, goal: number, step: number): Part => ({
  name,
  about: '',
  unit: 'cases',
  goal,
  step,
  guessSeconds: 10,
  work: { kind: 'vitest', projects: [], files: [], title: null },
})

let folder: string
let stateFile: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-soak-'))
  stateFile = join(folder, 'deep/state.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A call of the tool whose chunks take `secondsOf` a step, on a clock of its own. */
async function call(
  parts: readonly Part[],
  options: Partial<Options>,
  play: {
    readonly secondsOf?: (part: Part) => number
    readonly failsAt?: (part: Part, chunk: Chunk) => boolean
    readonly breaks?: boolean
    readonly stopAfter?: number
    readonly absent?: ReadonlyMap<string, string>
  } = {},
) {
  const { secondsOf = () => 10, failsAt = () => false, stopAfter = Number.POSITIVE_INFINITY } = play
  const chunks: (Chunk & { readonly name: string })[] = []
  const said: string[] = []
  let clock = 0
  const ran = await soak(
    { timeMs: 10 * minute, only: null, seed: null, stateFile, reportFile: null, ...options },
    parts,
    {
      absent: play.absent ?? new Map(),
      commit: 'abc',
      now: () => 1_700_000_000_000 + clock,
      elapsed: () => clock,
      isStopped: () => chunks.length >= stopAfter,
      say: (line) => said.push(line),
      runner: {
        async run(one, chunk): Promise<ChunkResult> {
          chunks.push({ ...chunk, name: one.name })
          const seconds = (chunk.size / one.step) * secondsOf(one)
          clock += seconds * 1000
          const failed = failsAt(one, chunk)
          return {
            ran: !(failed && play.breaks),
            seconds,
            failure: failed ? { what: 'It broke.\nMore.', replay: 'run it' } : null,
          }
        },
      },
    },
  )
  return { ...ran, chunks, said, minutes: clock / minute }
}

describe('a soak', () => {
  it('runs every part to its goal in chunks, each with the next seed', async () => {
    const { state, code, chunks } = await call([part('a', 100, 10), part('b', 7, 2)], { seed: 5 })
    expect(Object.values(state.parts).map(({ done }) => done)).toEqual([100, 7])
    const ofA = chunks.filter(({ name }) => name === 'a')
    expect(ofA.map(({ seed }) => seed)).toEqual(ofA.map((_, index) => 5 + index))
    expect(ofA.map(({ from }) => from)).toEqual(ofA.map((_, index) => index * 40))
    expect(code).toBe(0)
  })

  it('goes on where the last call stopped, and its state is written whole', async () => {
    const parts = [part('a', 1_000, 10)]
    const first = await call(parts, { seed: 5, timeMs: 2 * minute })
    const second = await call(parts, { timeMs: 2 * minute })
    const [last, next] = [first.chunks.at(-1), second.chunks[0]]
    expect(next).toMatchObject({ from: (last?.from ?? 0) + (last?.size ?? 0), seed: (last?.seed ?? 0) + 1 })
    expect(readState(stateFile)).toEqual(second.state)
    expect(readdirSync(join(folder, 'deep'))).toEqual(['state.json'])
  })

  it('keeps to its time, except for the smallest chunk', async () => {
    const { minutes } = await call([part('a', 1e9, 10)], { timeMs: 3 * minute })
    expect(minutes).toBeLessThanOrEqual(3)
    expect(minutes).toBeGreaterThan(2.7)
    const slow = await call([part('b', 1e9, 10)], { timeMs: minute, only: ['b'] }, { secondsOf: () => 300 })
    expect(slow.chunks).toHaveLength(1)
  })

  it('shares the time among the parts, also over many short calls', async () => {
    const parts = [part('slow', 1e9, 1), part('fast', 1e9, 1), part('short', 3, 1)]
    const secondsOf = ({ name }: Part) => (name === 'slow' ? 30 : 1)
    for (let at = 0; at < 20; at += 1) await call(parts, { seed: 1, timeMs: minute }, { secondsOf })
    const { slow, fast, short } = readState(stateFile)?.parts ?? {}
    expect(short?.done).toBe(3)
    expect(Math.abs((slow?.seconds ?? 0) - (fast?.seconds ?? 0))).toBeLessThan(100)
  })

  it('reports a failed chunk with its seed, goes on, and fails as a whole', async () => {
    const parts = [part('good', 200, 10), part('bad', 200, 10)]
    const { state, code, said } = await call(
      parts,
      { seed: 5 },
      { failsAt: ({ name }, { seed }) => name === 'bad' && seed === 6 },
    )
    expect(code).toBe(1)
    expect(state.parts.good?.done).toBe(200)
    expect(state.parts.bad).toMatchObject({
      done: 200,
      failures: [{ seed: 6, size: 40, commit: 'abc', replay: 'run it' }],
    })
    expect(said.join('\n')).toContain('FAILED with seed 6: It broke.')
    const next = await call(parts, { seed: 5 })
    expect([next.code, next.state.parts.bad?.failures.length]).toEqual([0, 1])
  })

  it('gives up a part that never runs, and not the others', async () => {
    const parts = [part('broken', 1e6, 10), part('good', 200, 10)]
    const { state, chunks } = await call(parts, {}, { failsAt: ({ name }) => name === 'broken', breaks: true })
    expect(state.parts.broken).toMatchObject({ done: 0, chunks: 5 })
    expect([chunks.length < 20, state.parts.good?.done]).toEqual([true, 200])
  })

  it('stops between chunks when a person wants it', async () => {
    const { chunks } = await call([part('a', 1e6, 10)], {}, { stopAfter: 2 })
    expect(chunks).toHaveLength(2)
    expect(readState(stateFile)?.parts.a?.chunks).toBe(2)
  })

  it('leaves out parts that cannot run here, and names them', async () => {
    const parts = [part('a', 10, 10), part('absent', 10, 10)]
    const absent = new Map([['absent', 'the program is not there.']])
    const { state } = await call(parts, { seed: 1 }, { absent })
    expect(Object.keys(state.parts)).toEqual(['a'])
    expect(textReport(state, parts, absent, 'machine')).toContain('absent did not run: the program is not there.')
  })

  it('counts only what held', async () => {
    const { state } = await call([part('bad', 200, 10)], { seed: 5 }, { failsAt: () => true })
    expect(state.parts.bad).toMatchObject({ done: 0, chunks: 5 })
    expect(state.parts.bad?.failures.map(({ seed }) => seed)).toEqual([5, 6, 7, 8, 9])
  })

  it('keeps a second soak away from its state, until its process is gone', () => {
    const first = lockState(stateFile)
    expect(() => lockState(stateFile)).toThrow(`Process ${process.pid} soaks with ${stateFile}`)
    first[Symbol.dispose]()
    writeFileSync(`${stateFile}.lock`, '999999999')
    using _second = lockState(stateFile)
    expect(readFileSync(`${stateFile}.lock`, 'utf8')).toBe(String(process.pid))
  })

  it('refuses another seed than the one its state was begun with, and a file that is no state', async () => {
    await call([part('a', 10, 10)], { seed: 5 })
    await expect(call([part('a', 10, 10)], { seed: 6 })).rejects.toThrow('was begun with seed 5')
    writeFileSync(stateFile, '{"version":1')
    await expect(call([part('a', 10, 10)], {})).rejects.toThrow('is not the state of a soak')
  })
})

describe('the report', () => {
  it('has a line for each part and each failure, as text and as Markdown', async () => {
    const parts = [part('a', 1_000, 10), part('b', 20, 10)]
    const { state } = await call(parts, { seed: 5, timeMs: minute }, { failsAt: ({ name }) => name === 'b' })
    const machine = machineLine('abc')
    const [text, markdown] = [textReport, markdownReport].map((report) => report(state, parts, new Map(), machine))
    expect(text).toMatch(/part +done +goal +unit +seeds +failures +time\na +\d+ +1,000 +cases +5/)
    expect(text).toMatch(/b failed with seed 5 \(.*, commit abc\): It broke\. Run it again: run it/)
    expect(markdown).toMatch(/\| a \| \d+ \| 1,000 \| cases \| 5/)
    expect(machine).toMatch(/cores, \d+ GB memory, Node \d+\..*commit abc/)
  })

  it.each([
    [5, '5 s'],
    [184, '3 min 04 s'],
    [3_725, '1 h 02 min'],
    [Number.POSITIVE_INFINITY, 'no end'],
  ])('writes %d seconds as %s', (seconds, shown) => expect(shownTime(seconds)).toBe(shown))
})

describe('the command line', () => {
  const names = ['a', 'b']

  it('reads times, parts, seed and files', () => {
    expect(
      readOptions(['--hours', '1', '--minutes', '30', '--only', 'a,b', '--seed', '7', '--report', 'r.md'], names),
    ).toEqual({
      kind: 'run',
      timeMs: 90 * minute,
      only: ['a', 'b'],
      seed: 7,
      stateFile: 'test-results/soak-state.json',
      reportFile: 'r.md',
    })
    expect(readOptions([], names)).toMatchObject({ timeMs: Number.POSITIVE_INFINITY, only: null, seed: null })
    expect([readOptions(['--help'], names).kind, readOptions(['--list'], names).kind]).toEqual(['help', 'list'])
  })

  it.each([
    ['--minutes', '0'],
    ['--hours', 'x'],
    ['--seed', '1.5'],
    ['--only', 'c'],
    ['--nonsense', 'x'],
  ])('refuses %s %s', (...args) => expect(() => readOptions(args, names)).toThrow())

  it('ends with 2 for a wrong one, and lists the parts', () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(root, 'scripts/soak/run.ts'), ...args], { encoding: 'utf8' })
    expect(run('--only', 'none')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('There is no part "none"'),
    })
    expect(run('--list', '--state', stateFile).stdout).toContain('overlay: 1,000,000 operations')
  })
})

describe('the parts', () => {
  it('name files that exist', () => {
    const files = realParts.flatMap(({ work }) => (work.kind === 'vitest' ? work.files : []))
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    const specs = realParts.flatMap(({ work }) =>
      work.kind === 'playwright' ? [`e2e/specs/${work.spec}.spec.ts`] : [],
    )
    expect(specs.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })

  it('name titles that their files have', () => {
    const missing = realParts.flatMap(({ name, work }) => {
      if (work.kind !== 'vitest' || work.title === null) return []
      const words = work.files.map((file) => readFileSync(join(root, file), 'utf8')).join('')
      return words.includes(work.title) ? [] : [name]
    })
    expect(missing).toEqual([])
  })

  it('cover every test that has a size for a soak', () => {
    const tests = globSync('{src,integration,e2e/specs}/**/*.test.ts', { cwd: root })
    const sized = tests.filter((file) => readFileSync(join(root, file), 'utf8').includes('test-size.testkit'))
    const known = realParts.flatMap(({ work }) =>
      work.kind === 'vitest' ? work.files : work.kind === 'playwright' ? [`e2e/specs/${work.spec}.spec.ts`] : [],
    )
    expect(sized.filter((file) => !known.includes(file))).toEqual([])
  })
})
