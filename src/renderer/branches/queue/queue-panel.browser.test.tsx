import { expect, it, vi } from 'vitest'
import type { GreenMergeState, GreenQueueView } from '#shared/model/check.ts'
import { parentOf, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import { resultOf } from '../../parts/checks/checks.testkit.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { branchId, created, event, threadId } from '../../state/store/entries.testkit.ts'
import { QueuePanel } from './queue-panel.tsx'

const workspace = { type: 'branch.forked', branchId, parentId: null, ownerThreadId: threadId, handle: null } as const
const events = [
  event(1, created),
  event(2, { ...workspace, name: 'Workspace' }),
  ...['one', 'two', 'three', 'four'].flatMap((name, index) => {
    const [child, handle] = [`t${name}` as ThreadId, `subagent_${index}` as Handle]
    const branch = name as BranchId
    const fork = { ...workspace, branchId: branch, parentId: branchId, ownerThreadId: child, handle, name }
    return [
      event(3 + index * 2, threadCreated(branch, { agent: name, parent: parentOf(threadId, handle), depth: 1 }), child),
      event(4 + index * 2, fork, threadId),
    ]
  }),
]

/** A window whose host has this queue, and remembers what the page asked for. */
async function render(states: readonly GreenMergeState[], isRunning: boolean) {
  sessionStorage.clear()
  const names = ['one', 'two', 'three', 'four'] as readonly string[] as readonly BranchId[]
  const queue: GreenQueueView = {
    branches: states.map((state, at) => ({ branchId: names[at] ?? branchId, state })),
    isRunning,
  }
  const ask = vi.fn<(name: string, input: unknown) => void>()
  const note = (name: string) => (input: unknown) => {
    ask(name, input)
    return { sequences: [20], left: [] }
  }
  const answers = {
    'checks.queue': () => queue,
    'checks.cancelMerges': note('cancel'),
    'threads.send': note('send'),
    'branches.mergeReady': note('merge'),
    'branches.compare': () => [],
  }
  const { screen } = await renderInWindow(<QueuePanel onSelect={() => undefined} />, answers as object, events)
  return { screen, ask, button: (name: string) => screen.getByRole('button', { name, exact: true }) }
}

const red = { kind: 'red', failed: [resultOf('test', { output: 'TypeError: area is not a function' })] } as const

it('says how each merge stands, and takes one or all of them out of the queue', async () => {
  const checking = { kind: 'checking', check: 'test', startedAt: Date.now() } as const
  const { screen, ask, button } = await render(
    [{ kind: 'merged', sequence: 9 }, checking, { kind: 'queued' }, { ...red, greenAlone: false }],
    true,
  )
  const panel = screen.getByRole('region', { name: 'Merges when green' })
  await expect.element(panel).toHaveTextContent('1 of 4 merged')
  await expect.element(panel).toHaveTextContent(/twoChecking test · 0:0\d/)
  await expect.element(panel).toHaveTextContent('fourRed on the merged files: test')
  await button('Cancel the merge of three').click()
  await button('Cancel all').click()
  await expect
    .poll(() => ask.mock.calls)
    .toEqual([
      ['cancel', { projectId: 'project', branchIds: ['three'] }],
      ['cancel', { projectId: 'project', branchIds: null }],
    ])
})

it('explains a semantic conflict, and sends its output to the agent of the branch', async () => {
  const { screen, ask, button } = await render([{ ...red, greenAlone: true }], false)
  await expect.element(screen.getByText('Green alone, red together: test')).toBeInTheDocument()
  await button('Show why one was not merged').click()
  const dialog = screen.getByRole('dialog', { name: 'one was not merged' })
  await expect.element(dialog).toHaveTextContent('Semantic conflict: green alone, red together')
  await expect.element(dialog).toHaveTextContent('TypeError: area is not a function')
  await expect.element(dialog.getByRole('region', { name: 'What one changed' })).toBeInTheDocument()
  await expect.element(dialog.getByRole('region', { name: 'What the workspace got since' })).toBeInTheDocument()
  await button('Ask the agent to fix it').click()
  await expect
    .poll(() => ask.mock.calls[0]?.[1])
    .toMatchObject({
      threadId: 'tone',
      delivery: 'steer',
      text: expect.stringContaining('TypeError: area is not a function'),
    })
  await expect.element(dialog).not.toBeInTheDocument()
})

it('merges all the same when a person says so, and can be put away once it has ended', async () => {
  const { screen, ask, button } = await render([{ ...red, greenAlone: true }], false)
  await button('Show why one was not merged').click()
  await button('Merge anyway').click()
  await expect.poll(() => ask.mock.calls).toEqual([['merge', { projectId: 'project', branchIds: ['one'] }]])
  await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
  await button('Hide').click()
  await expect.element(screen.getByRole('region', { name: 'Merges when green' })).not.toBeInTheDocument()
})
