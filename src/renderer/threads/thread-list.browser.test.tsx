import type { ReactNode } from 'react'
import { beforeEach, expect, it } from 'vitest'
import type { EntryBody } from '#shared/model/entry.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { created, event } from '../state/store/entries.testkit.ts'
import { showThread } from '../state/store/ui-state.ts'
import { ThreadList } from './thread-list.tsx'
import { useMarkSeen } from './use-seen-threads.ts'

const now = Date.now()
const id = (name: string) => name as ThreadId
const at = (minutes: number) => now - minutes * 60_000
const thread = (sequence: number, name: string, title: string, minutes: number) => ({
  ...event(sequence, { ...created, branchId: `branch-${name}` as BranchId, title } as EntryBody, id(name)),
  at: at(minutes),
})
const ended = (sequence: number, name: string, minutes: number) => ({
  ...event(sequence, { type: 'run.ended', status: 'done', reason: 'completed', message: '' }, id(name)),
  at: at(minutes),
})
const arabic = 'تحقق من تقريب الضريبة في الفواتير وجميع التقارير الشهرية قبل نهاية السنة المالية'

function Window(): ReactNode {
  useMarkSeen()
  return (
    <div style={{ width: 248, height: 500, display: 'flex', flexDirection: 'column' }}>
      <ThreadList />
    </div>
  )
}

beforeEach(() => localStorage.clear())

it('says when a thread did something last, and marks a result until its thread was shown', async () => {
  const first = await renderInWindow(<Window />, {}, [
    thread(1, 'a', 'Add auth', 20),
    thread(2, 'b', 'Fix lint', 10),
    ended(3, 'b', 10),
  ])
  const { session, receive, screen } = first
  session.updateUi((ui) => showThread(ui, id('b')))
  const row = screen.getByRole('button', { name: 'Add auth', exact: true })
  await expect.element(row).toHaveAccessibleDescription('20 min')
  receive(ended(4, 'a', -5))
  await expect.element(row).toHaveAccessibleDescription('Not seen yet · now')
  await screen.unmount()

  const again = await renderInWindow(<Window />, {}, [
    thread(1, 'a', 'Add auth', 20),
    thread(2, 'b', 'Fix lint', 10),
    ended(3, 'b', 10),
    ended(4, 'a', -5),
    thread(5, 'c', 'Newest', -10),
  ])
  const kept = again.screen.getByRole('button', { name: 'Add auth', exact: true })
  await expect.element(kept, { message: 'kept over a reload' }).toHaveAccessibleDescription('Not seen yet · now')
  again.session.updateUi((ui) => showThread(ui, id('a')))
  await expect.element(kept).toHaveAccessibleDescription('now')
  again.session.updateUi((ui) => showThread(ui, id('c')))
  await expect.element(kept).toHaveAccessibleDescription('now')
})

it('keeps the beginning of a title in sight, whichever way it is written', async () => {
  const { screen } = await renderInWindow(<Window />, {}, [
    thread(1, 'a', arabic, 1),
    thread(2, 'b', 'x'.repeat(99), 1),
  ])
  const row = screen.getByRole('button', { name: arabic, exact: true })
  await expect.element(row).toBeVisible()
  const title = row.element().querySelector('[dir]')
  if (!(title instanceof HTMLElement)) throw new Error('no title')
  expect([getComputedStyle(title).direction, title.scrollWidth > title.clientWidth]).toEqual(['rtl', true])
  const range = document.createRange()
  range.setStart(title.firstChild as Node, 0)
  range.setEnd(title.firstChild as Node, 3)
  const [word, box] = [range.getBoundingClientRect(), title.getBoundingClientRect()]
  expect(word.right).toBeLessThanOrEqual(box.right + 1)
  expect(word.left).toBeGreaterThan(box.left)
})

it('renders only the visible ones of a thousand threads', async () => {
  const threads = Array.from({ length: 1000 }, (_, index) => thread(index + 1, `t${index}`, `Task ${index}`, index))
  const { screen } = await renderInWindow(<Window />, {}, threads)
  await expect.element(screen.getByRole('button', { name: 'Task 0', exact: true })).toBeVisible()
  expect(screen.getByRole('button', { name: /^Task \d+$/ }).elements().length).toBeLessThan(40)
})
