import { expect, it } from 'vitest'
import type { FileBlame, LineSource } from '#shared/contract/views/files.ts'
import type { BranchId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { branchId, created, event } from '../../state/store/entries.testkit.ts'
import { BlameView } from './blame-view.tsx'
import { WhyLines } from './why-lines.tsx'

const path = '/src/parse.ts' as VirtualPath
const source = (sequence: number, more: Partial<LineSource>): LineSource => ({
  ...{ sequence: sequence as Sequence, at: 0, threadId: 'child' as ThreadId, agent: 'parser', handle: null },
  ...{ branchId: 'child' as BranchId, branch: 'parser', callId: 'call' as ToolCallId, tool: 'edit_file' },
  ...{ how: 'call', decision: 'approve', task: 'Make the parser faster' },
  ...more,
})
const blame: FileBlame = {
  sources: [source(4, {}), source(9, { how: 'edit', tool: null, callId: null, decision: null, task: '' })],
  lines: [
    { text: 'one\n', source: null },
    { text: 'two\n', source: 0 },
    { text: 'three\n', source: 0 },
    { text: 'four\n', source: 1 },
  ],
}
const open = async (part: React.ReactNode, answer: () => unknown = () => blame) =>
  (
    await renderInWindow(<div style={{ height: '400px' }}>{part}</div>, { 'changes.blame': answer } as object, [
      event(1, created),
    ])
  ).screen

it('says who wrote the lines of a range, each source once, when it is asked', async () => {
  let asked = 0
  const answer = () => {
    asked += 1
    return blame
  }
  const screen = await open(
    <WhyLines branchId={branchId} path={path} range={{ side: 'new', from: 1, to: 3 }} />,
    answer,
  )
  const button = screen.getByRole('button', { name: 'Why is this line here?' })
  await expect.element(button).toHaveAttribute('aria-expanded', 'false')
  expect(asked).toBe(0)
  await button.click()
  const items = screen.getByRole('listitem')
  await expect.poll(() => items.elements().length).toBe(2)
  await expect.element(items.nth(0)).toHaveTextContent('From your folder. No agent wrote it.')
  await expect.element(items.nth(1)).toHaveTextContent('parser wrote it with edit_file on parser')
  await expect.element(items.nth(1)).toHaveTextContent('It worked on: Make the parser faster')
  await expect.element(items.nth(1)).toHaveTextContent('You approved the call.')
})

it('shows a file with who wrote each line beside it, and says more of the line that is chosen', async () => {
  const screen = await open(<BlameView branchId={branchId} path={path} />)
  const line = (name: string) => screen.getByRole('button', { name })
  await expect.element(line('1: one – your folder')).toBeVisible()
  await line('3: three – parser').click()
  const region = screen.getByRole('region', { name: 'Where the lines of /src/parse.ts come from' })
  await expect.element(region).toHaveTextContent('parser wrote it with edit_file on parser')
  await line('4: four – an edit by hand').click()
  await expect.element(region).toHaveTextContent('Written by an edit by hand on parser')
  await line('1: one – your folder').click()
  await expect.element(region).toHaveTextContent('From your folder.')
})
