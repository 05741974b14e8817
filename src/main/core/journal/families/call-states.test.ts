import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Call, isAsking, isEndUnknown, isUnstarted, openOutcome, resultOf } from '#shared/model/call.ts'
import { flatSays } from '#shared/model/fold/flat-call.ts'
import { createMemoryJournal } from '../../ports/journal.testkit.ts'
import { runs } from '../../ports/test-size.testkit.ts'
import { openProjectLog } from '../project-log.ts'
import { beginStory, type Happening, happen, randomStory } from './random-journal.testkit.ts'

/** What the union says in answer to the questions that the fields of earlier versions answered. */
function says(call: Call): ReturnType<typeof flatSays> {
  const { state, startedAt, decision } = call
  return {
    isUnstarted: isUnstarted(call),
    isHeldUnasked: state.kind === 'kept back',
    isRunning: state.kind === 'running',
    isWaiting: isAsking(call),
    isDecided: state.kind === 'decided',
    isFinished: state.kind === 'finished',
    isEndUnknown: isEndUnknown(call),
    isAboutItsOutcome: state.kind === 'asking' && state.about.kind !== 'run',
    held: openOutcome(call),
    result: resultOf(call),
    how: state.kind === 'finished' ? state.how : null,
    startedAt,
    decision,
  }
}

/** Stories in which most of what happens is about calls. */
const callStory: fc.Arbitrary<readonly Happening[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom(
        ...(['call', 'call', 'start', 'tryOut', 'keepBack', 'keepBack', 'ask', 'ask', 'decide', 'decide'] as const),
        ...(['finish', 'end', 'run', 'rewind', 'copy', 'fork'] as const),
      ),
      who: fc.nat(3),
      what: fc.nat(30),
    }),
    { maxLength: 60, size: 'max' },
  )
  .map((happened) => [{ kind: 'begin', who: 0, what: 0 }, ...happened])

it('the state of a call says what the fields of earlier versions said, whatever happens in a project', () => {
  let compared = 0
  fc.assert(
    fc.property(fc.oneof(randomStory, callStory), (story) => {
      const log = openProjectLog(
        createMemoryJournal(() => 1_000),
        () => {},
      )
      const told = beginStory(log)
      for (const one of story) {
        happen(told, one)
        for (const { calls } of log.state.threads.values())
          for (const call of calls.values()) {
            expect(says(call)).toEqual(flatSays(call.flat))
            compared += 1
          }
      }
    }),
    runs(300, 100_000),
  )
  expect(compared).toBeGreaterThan(1_000)
}, 3_600_000)
