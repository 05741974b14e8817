import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '#core/ports/test-size.testkit.ts'
import { type FirstRed, findFirstRed, type Question, type Verdict } from './first-red.ts'

/** The fault is in `first` and in all states after it; `first` may be beyond the last. */
interface Planted {
  readonly steps: number
  readonly first: number
  readonly known?: ReadonlyMap<number, Verdict>
  /** What one run says, when it may differ from the truth. */
  readonly say?: (truth: Verdict, state: number) => Verdict
  readonly isFlaky?: boolean
  readonly atOnce?: number
}

/** Asks as the checks of a project do: `checked` runs a failed check again. */
async function search({ steps, first, known, say = (truth) => truth, ...rest }: Planted) {
  const asked: number[] = []
  const truth = (state: number): Verdict => (state >= first ? 'red' : 'green')
  const run = (state: number) => say(truth(state), state)
  const question: Question = {
    states: steps + 1,
    known: (state) => known?.get(state),
    async ask(state, how) {
      asked.push(state)
      const verdict = run(state)
      if (how === 'once' || verdict !== 'red') return verdict
      return run(state) === 'red' ? 'red' : 'flaky'
    },
    isFlaky: rest.isFlaky ?? false,
    atOnce: rest.atOnce ?? 1,
  }
  return { found: await findFirstRed(question), asked }
}

const planted = fc
  .integer({ min: 1, max: 1000 })
  .chain((steps) => fc.record({ steps: fc.constant(steps), first: fc.integer({ min: 1, max: steps }) }))

test('a fault in any of a thousand steps is found in at most ⌈log₂ n⌉ + 1 runs, beside the one of its end', async () => {
  await fc.assert(
    fc.asyncProperty(planted, fc.boolean(), async ({ steps, first }, isHeadKnown) => {
      const known = isHeadKnown ? new Map<number, Verdict>([[steps, 'red']]) : undefined
      const { found, asked } = await search({ steps, first, ...(known && { known }) })
      expect(found).toMatchObject({ kind: 'found', state: first })
      expect(asked.length).toBeLessThanOrEqual(Math.ceil(Math.log2(steps)) + (isHeadKnown ? 1 : 2))
    }),
    runs(2500),
  )
})

test('what is known is not asked about again', async () => {
  const known = new Map<number, Verdict>([
    [0, 'green'],
    [5, 'green'],
    [7, 'red'],
    [10, 'red'],
  ])
  const { found, asked } = await search({ steps: 10, first: 6, known })
  expect(found).toEqual({ kind: 'found', state: 6 })
  expect(asked).toEqual([6, 5])
})

test('what was green or red all along says so', async () => {
  expect((await search({ steps: 9, first: 10 })).found).toEqual({ kind: 'green' })
  expect((await search({ steps: 9, first: 0 })).found).toEqual({ kind: 'always' })
  expect((await search({ steps: 0, first: 0 })).found).toEqual({ kind: 'always' })
})

test('a state that nothing can be said about is gone around, or leaves a range', async () => {
  const isUnknown = (truth: Verdict, state: number): Verdict => (state >= 3 && state <= 5 ? 'unknown' : truth)
  expect((await search({ steps: 9, first: 8, say: isUnknown })).found).toMatchObject({ kind: 'found', state: 8 })
  expect((await search({ steps: 9, first: 4, say: isUnknown })).found).toEqual({ kind: 'between', after: 2, until: 6 })
})

test('several at once find the same in fewer turns', async () => {
  await fc.assert(
    fc.asyncProperty(planted, fc.integer({ min: 2, max: 8 }), async ({ steps, first }, atOnce) => {
      expect((await search({ steps, first, atOnce })).found).toMatchObject({ kind: 'found', state: first })
    }),
    runs(1000),
  )
})

/** Says another thing than the truth in a share of the runs, by a seed. */
function unsure(seed: number, share: number, isWrong: (truth: Verdict) => boolean = () => true) {
  let state = seed + 1
  return (truth: Verdict): Verdict => {
    // A linear congruence of Park and Miller, of which only the spread matters here.
    state = (state * 48_271) % 2_147_483_647
    const isOff = state / 2_147_483_647 < share && isWrong(truth)
    return isOff ? (truth === 'green' ? 'red' : 'green') : truth
  }
}

const isRightOrSilent = (found: FirstRed, first: number) =>
  found.kind === 'flaky' || (found.kind === 'found' && found.state === first)

test('a check that is known to be wrong once in ten runs leads to the step or to no answer', async () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const first = 1 + ((seed * 37) % 100)
    const { found } = await search({ steps: 100, first, isFlaky: true, say: unsure(seed * 7919, 0.1) })
    expect(found, `seed ${seed}`).toSatisfy((one: FirstRed) => isRightOrSilent(one, first))
  }
})

test('a check that fails once in ten runs, which nobody knew, leads to the step or to no answer', async () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const first = 1 + ((seed * 37) % 100)
    const { found } = await search({ steps: 100, first, say: unsure(seed * 7919, 0.1, (truth) => truth === 'green') })
    expect(found, `seed ${seed}`).toSatisfy((one: FirstRed) => isRightOrSilent(one, first))
  }
})

test('a coin leads to no answer', async () => {
  const answers = await Promise.all(
    Array.from(
      { length: 40 },
      async (_, seed) =>
        (await search({ steps: 50, first: 20, isFlaky: true, say: unsure(seed * 7919, 0.5) })).found.kind,
    ),
  )
  expect(answers.filter((kind) => kind === 'found')).toEqual([])
})
