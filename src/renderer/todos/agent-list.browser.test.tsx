import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { parentOf, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { created, event, threadId } from '../state/store/entries.testkit.ts'
import { AgentList } from './agent-list.tsx'

/** Agents that have ended. The last one failed. */
function endedAgents(count: number): readonly CoppiceEvent[] {
  const subagents = Array.from({ length: count }, (_, index) => {
    const id = `agent-${index}` as ThreadId
    const parent = { ...parentOf(threadId, `subagent_${index}`), index }
    const failed = index === count - 1
    const about = threadCreated(`branch-${index}` as BranchId, { agent: `page-${index}`, parent, depth: 1 })
    return [
      event(index * 2 + 2, about, id),
      event(
        index * 2 + 3,
        {
          type: 'run.ended',
          status: failed ? 'failed' : 'done',
          reason: failed ? 'model_error' : 'completed',
          message: failed ? 'The model is overloaded.' : '',
        },
        id,
      ),
    ]
  })
  return [event(1, created), ...subagents.flat()]
}

it('shows failed agents first, and every one that is done on request', async () => {
  await renderInWindow(
    <section data-region style={{ height: 4_000, overflow: 'auto', width: 320 }}>
      <AgentList />
    </section>,
    {},
    endedAgents(62),
  )
  const rows = page.getByRole('listitem')
  await expect.element(rows.first()).toHaveTextContent(/page-61The run failed.*Failed/)
  expect(rows.elements()).toHaveLength(2)
  await userEvent.click(page.getByRole('button', { name: '+ 61 done' }))
  await expect.poll(() => rows.elements().length).toBe(63)
  await expect.element(rows.last()).toHaveTextContent('page-60')
  await userEvent.click(page.getByRole('button', { name: '+ 61 done' }))
  await expect.poll(() => rows.elements().length).toBe(2)
})
