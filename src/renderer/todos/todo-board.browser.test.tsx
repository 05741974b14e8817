import type { ReactNode } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { parentOf, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import type { Todo } from '#shared/model/todos/todo.ts'
import type { TodoEdit } from '#shared/model/todos/todo-edit.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { agentReply, created, event, threadId } from '../state/store/entries.testkit.ts'
import { TodoList } from './todo-list.tsx'
import { TodoScreen } from './todo-screen.tsx'

const edit = vi.fn<(input: { readonly edit: TodoEdit }) => Promise<{ readonly sequence: number }>>()
const edits = (): readonly TodoEdit[] => edit.mock.calls.map(([input]) => input.edit)
const answers = { 'threads.editTodo': edit }

const plan: readonly Todo[] = [
  { content: 'Read', status: 'completed' },
  { content: 'Write', status: 'in_progress' },
  { content: 'Test', status: 'pending' },
  { content: 'Document', status: 'pending' },
]
const written = (todos: readonly Todo[]) => event(2, { type: 'todos.written', todos, by: 'agent' })

const card = (name: string) => page.getByRole('group', { name })
const column = (name: RegExp) => page.getByRole('region', { name })

beforeEach(() => {
  edit.mockReset().mockResolvedValue({ sequence: 9 })
})

/** The board as a screen, as wide as the window. */
function WideBoard(): ReactNode {
  return (
    <div className="flex h-[600px] flex-col">
      <TodoScreen />
    </div>
  )
}

async function openBoard(todos = plan): ReturnType<typeof renderInWindow> {
  return renderInWindow(<WideBoard />, answers, [event(1, created), written(todos)])
}

it('shows a card in the column of its status', async () => {
  await openBoard()
  await expect.element(column(/^Pending/)).toHaveTextContent(/Test.*Document/)
  await expect.element(column(/^In progress/)).toHaveTextContent('Write')
  await expect.element(column(/^Completed/)).toHaveTextContent('Read')
})

it('keeps a todo that is being typed while the board is not shown, until it is added', async () => {
  const { screen } = await openBoard()
  const box = page.getByRole('textbox', { name: 'Add a todo', exact: true })
  await userEvent.click(box)
  await userEvent.keyboard('Tell the users')
  await screen.rerender(<TodoList />)
  await expect.element(page.getByRole('textbox', { name: 'Add a todo' })).toHaveValue('Tell the users')
  await screen.rerender(<WideBoard />)
  await userEvent.click(box)
  await userEvent.keyboard('{Enter}')
  await expect.poll(edits).toEqual([{ kind: 'add', content: 'Tell the users', status: 'pending' }])
  await expect.element(box).toHaveValue('')
})

it('takes the next edit while one is on its way', async () => {
  const first = Promise.withResolvers<{ readonly sequence: number }>()
  edit.mockReturnValueOnce(first.promise)
  await openBoard()
  const box = page.getByRole('textbox', { name: 'Add a todo', exact: true })
  await userEvent.click(card('Test, Pending'))
  await userEvent.keyboard('{Alt>}{ArrowRight}{/Alt}')
  await userEvent.click(box)
  await userEvent.keyboard('Tell the users{Enter}')
  await expect.element(card('Tell the users, Pending')).toBeVisible()
  expect(edits().map(({ kind }) => kind)).toEqual(['move', 'add'])
  first.resolve({ sequence: 8 })
  await expect.element(box).toHaveValue('')
})

it('chooses cards with the arrow keys and moves them with Alt', async () => {
  await openBoard()
  await userEvent.click(card('Test, Pending'))
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(card('Document, Pending')).toHaveFocus()
  await userEvent.keyboard('{ArrowRight}')
  await expect.element(card('Write, In progress')).toHaveFocus()
  await userEvent.keyboard('{ArrowLeft}{Alt>}{ArrowRight}{/Alt}')
  const place = { card: { content: 'Test', occurrence: 0 }, status: 'in_progress' } as const
  expect(edits()).toEqual([{ kind: 'move', ...place, before: { content: 'Write', occurrence: 0 } }])
  await expect.element(card('Test, In progress')).toHaveFocus()
  await expect.element(page.getByRole('status')).toHaveTextContent('Moved “Test” to In progress, 1 of 2')
})

it('edits the text of a card with Enter, and keeps the old text on Esc', async () => {
  await openBoard()
  await userEvent.click(card('Document, Pending'))
  await userEvent.keyboard('{Enter} and link it{Escape}')
  expect(edits()).toEqual([])
  await expect.element(card('Document, Pending')).toHaveFocus()
  await userEvent.keyboard('{Enter} and link it{Enter}')
  expect(edits()).toEqual([
    { kind: 'rename', card: { content: 'Document', occurrence: 0 }, content: 'Document and link it' },
  ])
  await expect.element(card('Document and link it, Pending')).toHaveFocus()
})

it('removes a card with Delete and focuses its neighbour', async () => {
  await openBoard()
  await userEvent.click(card('Test, Pending'))
  await userEvent.keyboard('{Delete}')
  expect(edits()).toEqual([{ kind: 'remove', card: { content: 'Test', occurrence: 0 } }])
  await expect.element(card('Document, Pending')).toHaveFocus()
  await expect.element(card('Test, Pending')).not.toBeInTheDocument()
})

it('moves a card to another column by dragging it', async () => {
  await openBoard()
  await userEvent.dragAndDrop(card('Test, Pending'), card('Write, In progress'))
  await expect.poll(edits).toMatchObject([{ kind: 'move', card: { content: 'Test' }, status: 'in_progress' }])
})

it('changes the order of a column by dragging', async () => {
  await openBoard()
  await userEvent.dragAndDrop(card('Document, Pending'), card('Test, Pending'), { targetPosition: { x: 90, y: 2 } })
  await expect
    .poll(edits)
    .toMatchObject([{ kind: 'move', card: { content: 'Document' }, status: 'pending', before: { content: 'Test' } }])
})

it('refuses a card in a column that its status may not reach, with the reason', async () => {
  await openBoard()
  await userEvent.dragAndDrop(card('Test, Pending'), card('Read, Completed'))
  await expect
    .element(page.getByRole('alert'))
    .toHaveTextContent('“Test” cannot go from Pending to Completed.Move it to In progress first.')
  expect(edits()).toEqual([])
})

it('shows while dragging which column cannot take the card, and puts it back on Esc', async () => {
  await openBoard()
  await expect.element(card('Test, Pending')).toBeVisible()
  const from = card('Test, Pending').element()
  const box = from.getBoundingClientRect()
  const at = (x: number, y: number) => ({ bubbles: true, button: 0, pointerType: 'mouse', clientX: x, clientY: y })
  from.dispatchEvent(new PointerEvent('pointerdown', at(box.left + 9, box.top + 9)))
  window.dispatchEvent(new PointerEvent('pointermove', at(box.left + 300, box.top + 40)))
  await expect.element(column(/^Completed/)).toHaveTextContent('Move it to In progress first.')
  await userEvent.keyboard('{Escape}')
  await expect.element(column(/^Completed/)).not.toHaveTextContent('first.')
  window.dispatchEvent(new PointerEvent('pointerup', at(box.left + 300, box.top + 40)))
  expect(edits()).toEqual([])
})

it('is dragged by a finger only at its handle, so that a finger elsewhere scrolls', async () => {
  await openBoard()
  await expect.element(card('Test, Pending')).toBeVisible()
  const from = card('Test, Pending').element()
  const to = card('Write, In progress').element().getBoundingClientRect()
  const touch = { bubbles: true, button: 0, pointerType: 'touch', clientX: 0, clientY: 0 }
  const drop = { ...touch, clientX: to.left + 20, clientY: to.bottom - 2 }
  for (const start of [from, from.querySelector('[data-handle]')]) {
    start?.dispatchEvent(new PointerEvent('pointerdown', touch))
    window.dispatchEvent(new PointerEvent('pointermove', drop))
    window.dispatchEvent(new PointerEvent('pointerup', drop))
  }
  await expect.poll(edits).toMatchObject([{ kind: 'move', card: { content: 'Test' }, status: 'in_progress' }])
  expect(edits()).toHaveLength(1)
})

it('shows a refused edit as it was, with the reason of the host', async () => {
  edit.mockRejectedValueOnce(new Error('The list moved on.'))
  await openBoard()
  await userEvent.click(page.getByRole('button', { name: 'Complete todo: Write' }))
  await expect.element(page.getByRole('alert')).toBeVisible()
  await expect.element(card('Write, In progress')).toBeVisible()
})

it('shows agent, branch, result and time of a linked subagent', async () => {
  const child = 'child' as ThreadId
  const { receive } = await openBoard()
  const parent = { ...parentOf(threadId, 'subagent_0'), todoIndex: 2 }
  const branch = { branchId: 'b' as BranchId, parentId: null, ownerThreadId: child, handle: 'subagent_0' as Handle }
  receive(
    event(3, threadCreated('b' as BranchId, { agent: 'tests', parent, depth: 1 }), child),
    event(4, { type: 'branch.forked', ...branch, name: 'tests' }, child),
    event(5, { type: 'run.started' }, child),
    event(8, agentReply('m1', '## Done\nAdded three tests.\nMore.'), child),
    event(9, { type: 'run.ended', status: 'done', reason: 'completed', message: '' }, child),
  )
  const linked = card('Test, Pending')
  await expect.element(linked.getByRole('button', { name: 'Show the work of tests' })).toBeVisible()
  await expect.element(linked.getByRole('button', { name: 'Show the branch of tests' })).toBeVisible()
  await expect.element(linked).toHaveTextContent('Added three tests.')
  await expect.element(linked).toHaveTextContent('4 s')
})

it('offers to write a plan where there is none', async () => {
  await openBoard([])
  await userEvent.fill(page.getByRole('textbox', { name: 'Add a todo' }), 'First')
  await userEvent.keyboard('{Enter}')
  await expect.poll(edits).toEqual([{ kind: 'add', content: 'First', status: 'pending' }])
})

it('is a stack in a narrow place, with the same keys', async () => {
  const narrow = (
    <div data-region className="h-[600px] w-72 overflow-auto">
      <TodoList />
    </div>
  )
  await renderInWindow(narrow, answers, [event(1, created), written(plan)])
  await userEvent.click(card('Document, Pending'))
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(card('Write, In progress')).toHaveFocus()
  await userEvent.keyboard('{Control>}{ArrowRight}{/Control}')
  await expect.poll(edits).toMatchObject([{ kind: 'move', card: { content: 'Write' }, status: 'completed' }])
  await userEvent.click(page.getByRole('button', { name: 'Remove todo: Read' }))
  await expect.poll(edits).toHaveLength(2)
})
