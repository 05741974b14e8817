import { expect, it } from 'vitest'
import type { BisectView, BrokenStep } from '#shared/contract/checks.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { Bisect } from '#shared/model/derived/bisect.ts'
import type { BranchId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../../../state/session/test-window.testkit.tsx'
import { branchId, created, event, threadId } from '../../../state/store/entries.testkit.ts'
import { BisectPanel } from './bisect-panel.tsx'

const path = '/src/parse.ts' as VirtualPath
const change: FileChange = { path, kind: 'modify', added: 1, removed: 1 } as FileChange
const step: BrokenStep = {
  ...{ sequence: 41 as Sequence, before: 40 as Sequence, at: 0, threadId: 'child' as ThreadId, agent: 'parser' },
  ...{ branchId: 'child' as BranchId, branch: 'parser', handle: null, callId: 'call' as ToolCallId },
  ...{ tool: 'edit_file', how: 'call', decision: null, task: 'Make the parser faster', files: [change] },
  mergedBy: 60 as Sequence,
  checkpoint: 52 as Sequence,
}
const asked = [
  { step: 20, verdict: 'red' },
  { step: 10, verdict: 'green' },
  { step: 15, verdict: 'red' },
  { step: 12, verdict: 'green' },
] as const
const running: BisectView = {
  ...{ branchId, check: 'test', steps: 20, asked, runs: 4, most: 7, startedAt: 0, durationMs: 8000 },
  ...{ end: null, found: [] },
}
const found: BisectView = {
  ...running,
  found: [step],
  end: { kind: 'found', step: { at: 13, sequence: step.sequence, branchId: step.branchId, mergedBy: step.mergedBy } },
}
const hunk = { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' a', '-return one', '+return two'] }

async function render(view: BisectView | null, isRed = true) {
  const calls: (readonly [string, unknown])[] = []
  const note = (name: string, answer: unknown) => (input: unknown) => {
    calls.push([name, input])
    return answer
  }
  const answers = {
    'checks.bisectOf': () => view,
    'checks.bisect': note('bisect', undefined),
    'checks.cancelBisect': note('cancel', undefined),
    'changes.undoStep': note('undo', { sequence: 70 }),
    'rewind.fork': note('fork', { threadId: 'thread' }),
    'threads.send': note('send', { delivery: 'steer' }),
    'branches.compareFile': () => ({ path, change, hunks: [hunk], truncated: false }),
  }
  const panel = <BisectPanel branchId={branchId} check="test" isRed={isRed} />
  const { screen } = await renderInWindow(panel, answers as object, [
    event(1, created),
    event(2, {
      type: 'branch.forked',
      branchId,
      parentId: null,
      ownerThreadId: threadId,
      handle: null,
      name: 'workspace',
    }),
  ])
  const button = (name: string) => screen.getByRole('button', { name, exact: true })
  return { screen, calls, button }
}

it('starts a search of a red check, also one that asks each step several times', async () => {
  const { button, calls, screen } = await render(null)
  await button('Which step broke it?').click()
  await screen.getByRole('checkbox', { name: 'Ask each step several times' }).click()
  await button('Which step broke it?').click()
  const target = { projectId: 'project', branchId, check: 'test' }
  await expect
    .poll(() => calls)
    .toEqual([
      ['bisect', { ...target, isFlaky: false }],
      ['bisect', { ...target, isFlaky: true }],
    ])
})

it('shows what was checked while it searches, how long it may take, and can be stopped', async () => {
  const { screen, button, calls } = await render(running)
  await expect.element(screen.getByRole('status')).toHaveTextContent('4 of about 7 runs over 20 steps · about 6 s left')
  await expect.element(screen.getByRole('list', { name: 'Steps that were checked' })).toHaveTextContent('Step 15: red')
  await button('Stop searching').click()
  await expect.poll(() => calls).toEqual([['cancel', { projectId: 'project', branchId }]])
})

it('says that little is left when most was known before', async () => {
  const { screen } = await render({
    ...running,
    ...{ runs: 1, durationMs: 2000, asked: asked.slice(0, 2).map((one, at) => ({ ...one, step: 11 - at })) },
  })
  await expect.element(screen.getByRole('status')).toHaveTextContent('2 of about 3 runs over 20 steps · about 2 s left')
})

it('names the step with its change, and takes it off, forks from before it and shows it to the agent', async () => {
  const { screen, button, calls } = await render(found)
  const region = screen.getByRole('region', { name: 'Which step broke it?', exact: true })
  await expect.element(region).toHaveTextContent('test is red since edit_file on parser')
  await expect.element(region).toHaveTextContent('It worked on: Make the parser faster')
  await expect.element(region).toHaveTextContent('return two')
  await button('Undo this change').click()
  await expect.poll(() => calls.at(-1)).toEqual(['undo', { projectId: 'project', branchId, sequence: 41 }])
  await button('Show to the agent').click()
  const text = expect.stringMatching(/check test is red[\s\S]*edit_file[\s\S]*\+return two/)
  await expect.poll(() => calls.at(-1)).toMatchObject(['send', { text, delivery: 'steer' }])
  await button('Fork from before').click()
  await expect.poll(() => calls.at(-1)).toMatchObject(['fork', { to: 52 }])
})

it.each([
  ['green', 'test is green now, so no step broke it.'],
  ['always', 'test was red before the first step too'],
  ['flaky', 'Cannot tell: test is red and green in turn'],
  ['moved', 'Cannot tell: files in your folder changed'],
  ['cancelled', 'Stopped. What the check said so far is kept.'],
] as const)('says in words what it means when a search ends as %s', async (kind, words) => {
  const end = { kind, step: { at: 0, sequence: null, branchId: null, mergedBy: null } } as Bisect['end']
  const { screen } = await render({ ...running, end })
  await expect.poll(() => screen.container.textContent).toContain(words)
})

it('shows nothing about a green check that nobody searched', async () => {
  const { screen } = await render(null, false)
  await expect.poll(() => screen.container.querySelector('button')).toBeNull()
})
