import { expect, it } from 'vitest'
import type { InterruptId } from '#shared/model/ids.ts'
import { answerKey, changeAnswer, emptyAnswer, forgetAnswers } from './answers.ts'
import { callId } from './entries.testkit.ts'

const keyOf = (call: string): string => answerKey({ id: 'i' as InterruptId }, callId(call))

it('keeps what is typed for a call until it is decided, and forgets what no longer waits', () => {
  const typed = changeAnswer({}, keyOf('a'), { reply: 'yes' }, new Set())
  expect(typed).toEqual({ [keyOf('a')]: { ...emptyAnswer, reply: 'yes' } })
  const both = changeAnswer(typed, keyOf('b'), { reason: 'no' }, new Set([keyOf('a')]))
  expect(both).toEqual({ ...typed, [keyOf('b')]: { ...emptyAnswer, reason: 'no' } })
  expect(forgetAnswers(both, [keyOf('a')])).toEqual({ [keyOf('b')]: { ...emptyAnswer, reason: 'no' } })
  expect(Object.keys(changeAnswer(both, keyOf('b'), { reply: 'x' }, new Set()))).toEqual([keyOf('b')])
})
