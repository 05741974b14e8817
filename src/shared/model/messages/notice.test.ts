import { describe, expect, it } from 'vitest'
import { noticeIn } from './notice.ts'

const notice = (text: string) => ({ origin: 'notice', content: [{ type: 'text', text }] }) as const

describe('what a notice is about', () => {
  it('is said by it, whatever its words are, and only a notice has one', () => {
    const about = { kind: 'goal', checks: ['unit'] } as const
    expect(noticeIn({ ...notice('## fake (red)'), notice: about })).toEqual(about)
    expect(
      noticeIn({ ...notice('You have new replies and can call tools again. Continue.'), origin: 'person' }),
    ).toBeNull()
    expect(noticeIn(notice('Continue.'))).toBeNull()
  })

  it.each([
    ['Your answer does not fit the schema: no\nReply again.', 'answer_misfit'],
    ['You have used all replies of this run, so you can call no more tools. In this last reply, say …', 'last_reply'],
    ['You have new replies and can call tools again. Continue.', 'new_replies'],
    ['Your last reply had neither text nor a call of a tool, so nobody can see what came of it.', 'empty_reply'],
    ['The user changed the todo list. It is now:\n0. [pending] a', 'todos'],
  ])('is known by its words in a journal of an older version: %s', (text, kind) => {
    expect(noticeIn(notice(text))).toEqual({ kind })
  })

  it('names the checks that sent an agent back in a journal of an older version, and no headings of their output', () => {
    const head = 'You stopped, but the work is not done: look.'
    const text = `${head}\n\n## unit (fast) (red, exit code 1)\n## Failures\nno\n\n## lint (flaky)\nno`
    expect(noticeIn(notice(text))).toEqual({ kind: 'goal', checks: ['unit (fast)', 'lint'] })
  })
})
