import { expect, test } from 'vitest'
import { checksInGoalNotice, goalNoticeStart } from './goal-notice.ts'

test('names the checks of a message that sends an agent back, and no headings of their output', () => {
  const text = `${goalNoticeStart}: look.\n\n## unit (fast) (red, exit code 1)\n## Failures\nno\n\n## lint (flaky)\nno`
  expect(checksInGoalNotice(text)).toEqual(['unit (fast)', 'lint'])
})

test('takes no other message for one', () => {
  expect(checksInGoalNotice('## test (red)')).toBeNull()
})
