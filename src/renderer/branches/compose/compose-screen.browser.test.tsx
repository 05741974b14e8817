import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { CompositionFile, CompositionRow } from '#shared/contract/views/compositions.ts'
import type { BranchId, Handle, ProjectId, ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { seriousInSight } from '../../app/axe.testkit.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { branchId, created, event } from '../../state/store/entries.testkit.ts'
import { ComposeScreen } from './compose-screen.tsx'

const [one, two] = ['one', 'two'] as readonly string[] as readonly [BranchId, BranchId]
const path = (name: string) => name as VirtualPath
const text: CompositionFile = {
  ...{ path: path('/src/money.ts'), paths: [path('/src/money.ts')], fingerprint: 'text', hunks: 2 },
  versions: [0, 1].map((source) => ({
    ...{ source, state: 'file', size: 90, executable: false, identity: String(source), whole: null },
  })),
  proposal: { kind: 'hunks', proposals: [{ choice: { from: [0] }, evidence: 'only' }, null] },
  segments: [
    {
      kind: 'hunk',
      base: ['const half = 0.4\n'],
      changes: [{ source: 0, start: 0, end: 1, text: 'const half = 0.5\n' }],
    },
    {
      kind: 'same',
      text: 'export function round(sum: number) {\n  // cents\n  const cents = sum * 100\n  return 0\n}\n',
    },
    {
      ...{ kind: 'hunk', base: ['export const a = 1\n', 'export const b = 2\n'] },
      changes: [
        { source: 0, start: 0, end: 1, text: 'export const a = 10\n' },
        { source: 1, start: 1, end: 2, text: 'export const b = 20\n' },
      ],
    },
  ],
}
const gone: CompositionFile = {
  ...{ path: path('/src/old.ts'), paths: [path('/src/old.ts')], fingerprint: 'gone', hunks: 0, segments: [] },
  versions: [
    { source: 1, state: 'absent', size: 0, executable: false, identity: null, whole: 'deleted' },
    { source: 2, state: 'file', size: 4, executable: true, identity: 'x', whole: 'mode' },
  ],
  proposal: { kind: 'whole', proposal: null },
}
const rowOf = ({ segments: _, ...row }: CompositionFile): CompositionRow => row
const sources = [
  { branchId: one, sequence: null, name: 'rounding', handle: null, checks: 'green' as const },
  { branchId: two, sequence: null, name: 'constants', handle: null, checks: 'red' as const },
  { branchId, sequence: null, name: 'workspace', handle: null, checks: 'none' as const },
]
const store = vi.fn()
const onClose = vi.fn()

async function show(files: readonly CompositionFile[] = [text, gone]) {
  const composed = { branches: [one, two].map((id) => ({ branchId: id, sequence: null })), into: branchId }
  const answers = {
    'compositions.read': () => ({ sources, files: files.map(rowOf) }),
    'compositions.file': ({ path: asked }: { path: string }) => files.find((file) => file.path === asked) ?? text,
    'compositions.store': (input: unknown) => {
      store(input)
      return { sequence: 9, result: { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] } }
    },
    'checks.list': () => ({ checks: [], problems: [], proposals: [] }),
  }
  return renderInWindow(
    <div className="flex bg-canvas text-sm text-text" style={{ height: 720, width: 1000 }}>
      <ComposeScreen composed={composed} onClose={onClose} />
    </div>,
    answers,
    [event(1, created)],
  )
}

beforeEach(() => void vi.clearAllMocks())
afterEach(() => void delete document.documentElement.dataset.theme)

const hunk = (number: number) => page.getByRole('group', { name: `Hunk ${number} of 2` })

it.each(['light', 'dark'])('shows base and branches side by side with a live result, %s', async (theme) => {
  document.documentElement.dataset.theme = theme
  await page.viewport(1000, 720)
  await show()
  await expect.element(page.getByRole('heading', { name: 'Compose rounding, constants into workspace' })).toBeVisible()
  await expect.element(page.getByRole('status').filter({ hasText: '2 files undecided' })).toBeVisible()
  await expect.element(hunk(1)).toHaveTextContent('takes rounding · proposed: the only change')
  await expect.element(hunk(2)).toHaveTextContent('undecided')
  await expect.element(page.getByRole('textbox', { name: 'Result of /src/money.ts' })).toHaveTextContent('half = 0.5')
  expect(await seriousInSight()).toEqual([])
})

it('is done by keyboard: a number takes a branch, B both, 0 the base, E edits, N and P go on', async () => {
  await show([text])
  await expect.element(hunk(2)).toBeVisible()
  const result = page.getByRole('textbox', { name: 'Result of /src/money.ts' })
  hunk(1).element().focus()
  await userEvent.keyboard('n')
  await expect.element(hunk(2)).toHaveFocus()
  await userEvent.keyboard('2')
  await expect.element(result).toHaveTextContent('a = 1export const b = 20')
  await userEvent.keyboard('b')
  await expect.element(result).toHaveTextContent('a = 10export const b = 20')
  await userEvent.keyboard('p0')
  await expect.element(result).toHaveTextContent('half = 0.4')
  await userEvent.keyboard('e')
  const typed = page.getByRole('textbox', { name: 'Hunk 1, by hand' })
  await typed.fill('const half = 1 / 2\n')
  await expect.element(result).toHaveTextContent('half = 1 / 2')
  await page.getByRole('button', { name: 'Store' }).click()
  await expect.poll(() => store.mock.calls.length).toBe(1)
  expect(store.mock.calls[0]?.[0]).toMatchObject({
    into: branchId,
    projectId: 'project' as ProjectId,
    files: [
      {
        ...{ path: '/src/money.ts', fingerprint: 'text' },
        choice: { kind: 'hunks', picks: [{ text: 'const half = 1 / 2\n' }, { from: [0, 1] }] },
      },
    ],
  })
  await expect.poll(() => onClose.mock.calls.length).toBe(1)
})

it('says why a file is taken as a whole, and stores nothing before all is decided', async () => {
  await show([gone])
  const versions = page.getByRole('group', { name: 'Versions of /src/old.ts' })
  await expect.element(versions).toHaveTextContent('no file · deletes the file')
  await expect.element(versions).toHaveTextContent('4 bytes · other permissions')
  await expect.element(page.getByRole('button', { name: 'Store' })).toBeDisabled()
  await page.getByRole('button', { name: 'Take constants' }).click()
  await expect.element(page.getByRole('button', { name: 'Store' })).toBeEnabled()
  await expect.element(page.getByRole('status').filter({ hasText: 'All decided' })).toBeVisible()
})

it('lets an agent join versions of a text, and shows no such offer for others', async () => {
  const forked = (id: BranchId) =>
    event(2, {
      ...{ type: 'branch.forked', branchId: id, parentId: branchId, ownerThreadId: `t ${id}` as ThreadId },
      ...{ handle: id as string as Handle, name: id },
    })
  const { receive } = await show()
  receive(forked(one), forked(two))
  await expect.element(page.getByRole('button', { name: 'Ask an agent to join them' })).toBeEnabled()
  await page.getByRole('button', { name: '/src/old.ts' }).click()
  await expect.element(page.getByRole('group', { name: 'Versions of /src/old.ts' })).toBeVisible()
  expect(page.getByRole('button', { name: 'Ask an agent to join them' }).elements()).toEqual([])
})

it('says that there is nothing to compose', async () => {
  await show([])
  await expect.element(page.getByText('The branches have no file that the result lacks.')).toBeVisible()
})
