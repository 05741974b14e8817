import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { parentOf, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import { useAppList } from '../../state/hooks/hooks.tsx'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { branchId, created, event, threadId } from '../../state/store/entries.testkit.ts'
import { activeBranches } from '../../state/store/selectors.ts'
import { workItems } from '../list/work-list.ts'
import { BranchMap } from './branch-map.tsx'

const agents = Array.from({ length: 60 }, (_, index) => index)
const names = agents.map((index) => `page-${index}`)

/** A call that starts sixty agents, each of which works for half a minute. */
const events = [
  event(1, created),
  event(2, {
    type: 'branch.forked',
    branchId,
    parentId: null,
    ownerThreadId: threadId,
    handle: null,
    name: 'Workspace',
  }),
  ...agents.flatMap((index) => {
    const [child, branch, at] = [`t${index}` as ThreadId, `b${index}` as BranchId, 3 + index * 10]
    const handle = `subagent_${index}` as Handle
    const name = names[index] ?? ''
    return [
      event(at, threadCreated(branch, { agent: name, parent: parentOf(threadId, handle), depth: 1 }), child),
      event(
        at + 1,
        { type: 'branch.forked', branchId: branch, parentId: branchId, ownerThreadId: child, handle, name },
        threadId,
      ),
      event(at + 2, { type: 'run.started' }, child),
      event(at + 9, { type: 'run.ended', status: 'done', reason: 'completed', message: '' }, child),
    ]
  }),
]

function Timeline(): ReactNode {
  const branches = useAppList(activeBranches)
  const threads = new Map()
  const items = workItems({ branches, threads, surveys: threads, isQueued: () => false })
  return (
    <div style={{ width: 1600, height: 1440 }} className="flex flex-col">
      <BranchMap
        branches={branches}
        items={items}
        checks={new Map()}
        selected={null}
        chosen={null}
        onChoose={() => undefined}
        onReach={() => undefined}
      />
    </div>
  )
}

it('shows sixty agents at once on a large screen, below an axis of time', async () => {
  await page.viewport(1600, 1440)
  const { screen } = await renderInWindow(<Timeline />, {}, events)
  const unfold = screen.getByRole('button', { name: 'Show a lane for each of 60 branches' })
  await unfold.click()
  const box = screen.container.getBoundingClientRect()
  for (const name of ['page-0', 'page-59']) {
    const lane = screen.getByText(name, { exact: true }).element().getBoundingClientRect()
    expect(lane.bottom, `${name} is in sight`).toBeLessThanOrEqual(box.bottom)
  }
  const axis = screen.container.querySelector('[data-axis]')
  const times = [...(axis?.querySelectorAll('span') ?? [])].map((tick) => tick.textContent)
  expect(times.length).toBeGreaterThan(5)
  expect(new Set(times).size).toBe(times.length)
  const canvas = screen.container.querySelector('canvas')
  const painted = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data
  expect(painted?.some((value) => value !== 0)).toBe(true)
})
