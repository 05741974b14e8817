import { ORPCError } from '@orpc/client'
import { describe, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { DeliveryPlan, HooksRun, ProgramEvent } from '#shared/contract/views/deliveries.ts'
import type { DeliveryFile } from '#shared/model/delivery.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { checksViewOf } from '../../parts/checks/checks.testkit.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { branchId, created, event } from '../../state/store/entries.testkit.ts'
import { DeliverDialog } from './deliver-dialog.tsx'
import { branchNameOf } from './use-delivery.ts'

const file = (path: string, more: Partial<DeliveryFile> = {}): DeliveryFile => ({
  ...{ path: path as VirtualPath, kind: 'modify', state: 'ready', uncommitted: null, why: null },
  ...more,
})

const plan = (files: readonly DeliveryFile[], more: Partial<DeliveryPlan> = {}): DeliveryPlan => ({
  ...{ repository: '', folder: '/work/app', branch: 'x', tip: null, base: '1234567890abcdef', author: 'Ann <ann@x>' },
  ...{ signs: false, commits: [{ message: 'the work', files: files.length }], files, leftOut: [], notes: [] },
  ...more,
})

const receipt = {
  branchId,
  repository: '',
  branch: 'fix',
  before: null,
  base: '1',
  commits: ['c1', 'c2'],
  files: 2,
  sequence: 7,
}

type Keep = readonly { readonly path: string; readonly side: string }[]

const hooksRun = (more: Partial<HooksRun> = {}): HooksRun => ({
  ...{ id: 'run', repositories: [{ repository: '', ran: ['pre-commit'] }], problem: null, notes: [], messages: 0 },
  ...{ files: [], ...more },
})

async function* events(...all: readonly ProgramEvent<unknown>[]) {
  yield* all
}

async function open(answer: (input: { readonly keep: Keep; readonly uncommitted: string }) => DeliveryPlan) {
  const make = vi.fn<(input: unknown) => unknown>(() => [receipt])
  const end = { remote: 'origin', output: '', problem: null, pullRequest: 'https://host.test/1\u3164' }
  const pushed = 'To ../remote\n * [new branch] fix -> fix\n'
  const publish = vi.fn<(input: unknown) => unknown>(() =>
    events({ kind: 'output', text: pushed }, { kind: 'ended', end }),
  )
  const runHooks = vi.fn<(input: unknown) => unknown>(() => events({ kind: 'ended', end: hooksRun() }))
  const takeHooks = vi.fn<(input: unknown) => unknown>(() => ({ sequence: 8, left: [] }))
  const propose = vi.fn<(input: unknown) => unknown>(() => ({ messages: ['Fix it\n\nWhy.'], model: 'm', cost: 0.02 }))
  const ofAgents = [{ kind: 'commit', repository: '/', branch: 'topic', id: 'a'.repeat(40), subject: 'by hand' }]
  const answers = {
    'checks.list': () => checksViewOf([]),
    'deliveries.plan': (input: never) => ({ plans: [answer(input)], ofAgents }),
    ...{ 'deliveries.make': make, 'deliveries.publish': publish, 'deliveries.propose': propose },
    ...{ 'deliveries.runHooks': runHooks, 'deliveries.takeHooks': takeHooks },
  }
  await renderInWindow(<DeliverDialog branchId={branchId} onClose={() => undefined} />, answers as object, [
    event(1, created),
  ])
  return { make, publish, propose, runHooks, takeHooks }
}

it('shows what will be made, lets a person decide and write, and makes exactly that', async () => {
  const { make } = await open(({ keep }) =>
    plan([
      file('/a.ts'),
      file('/b.ts', { state: keep.length > 0 ? 'ready' : 'conflict', uncommitted: 'modified', why: 'Yours.' }),
    ]),
  )
  const name = page.getByRole('textbox', { name: 'Branch' })
  await userEvent.fill(name, 'fix/it')
  const deliver = page.getByRole('button', { name: /^Deliver \d commit/ })
  await expect.element(page.getByText('1 file stands on changes in your folder')).toBeVisible()
  await expect.element(deliver).toBeDisabled()
  await userEvent.click(page.getByRole('button', { name: 'Take the thread’s version of /b.ts' }))
  const message = page.getByRole('textbox', { name: 'Message of commit 1' })
  await userEvent.fill(message, 'Fix it\n\nWhy.')
  await expect.element(message).toHaveFocus()
  await userEvent.click(deliver)
  const keep = [{ path: '/b.ts', side: 'ours' }]
  const expected = [{ repository: '', tip: null }]
  await expect
    .poll(() => make.mock.calls[0]?.[0])
    .toEqual(expect.objectContaining({ to: 'fix/it', messages: ['Fix it\n\nWhy.'], keep, expected, per: 'all' }))
  await expect.element(page.getByText('fix has 2 new commits')).toBeVisible()
  await expect.element(page.getByText('git switch fix')).toBeVisible()
})

it('asks anew when the way to split or the uncommitted files change, and pushes what it made', async () => {
  const { publish } = await open(({ uncommitted }) =>
    plan([file('/a.ts', { uncommitted: uncommitted === 'leave' ? 'untracked' : null })], {
      notes: [`with ${uncommitted}`],
      leftOut: [{ path: '/empty' as VirtualPath, why: 'A git patch cannot carry an empty folder.' }],
    }),
  )
  await userEvent.click(page.getByRole('checkbox', { name: /Include what you have not committed/ }))
  await expect.element(page.getByText('with include')).toBeVisible()
  await userEvent.selectOptions(page.getByRole('combobox', { name: 'One commit for' }), 'Each todo')
  await expect.element(page.getByRole('button', { name: 'Deliver “by hand” as it is' })).toBeVisible()
  await userEvent.click(page.getByRole('button', { name: 'Deliver 1 commit' }))
  await userEvent.click(page.getByRole('button', { name: 'Open pull request' }))
  await userEvent.fill(page.getByRole('textbox', { name: 'Title of the pull request' }), 'T')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('Pushed to origin')).toBeVisible()
  // Mutation: without `VisibleText` around the address, what a server put behind it is not drawn.
  await expect.element(page.getByRole('button', { name: /^https:\/\/host\.test\/1.*3164/i })).toBeVisible()
  expect(publish.mock.calls[0]?.[0]).toEqual(
    expect.objectContaining({
      sequence: 7,
      remote: null,
      pullRequest: { title: 'T', body: '', draft: false, base: null },
    }),
  )
})

describe('the hooks of the repository', () => {
  const box = () => page.getByRole('checkbox', { name: /Run pre-commit hooks/ })
  const deliver = () => page.getByRole('button', { name: 'Deliver 1 commit' })
  const formatted = { path: '/a.ts' as VirtualPath, kind: 'modify', added: 2, removed: 1 } as const

  it('that pass lead to the commits at once, and none runs without the mark', async () => {
    const { make, runHooks } = await open(() => plan([file('/a.ts')]))
    await userEvent.click(box())
    await userEvent.fill(page.getByRole('textbox', { name: 'Message of commit 1' }), 'mine')
    await userEvent.click(deliver())
    await expect.poll(() => make.mock.calls[0]?.[0]).toEqual(expect.objectContaining({ hooks: 'run' }))
    expect(runHooks.mock.calls[0]?.[0]).toEqual(expect.objectContaining({ to: 'task', messages: ['mine'] }))
  })

  it.each([
    ['Take the changes and deliver', 1],
    ['Deliver without them', 0],
  ])('that change files wait for a person: %s', async (press, taken) => {
    const { make, runHooks, takeHooks } = await open(() => plan([file('/a.ts')]))
    runHooks.mockImplementation(() => events({ kind: 'ended', end: hooksRun({ files: [formatted] }) }))
    await userEvent.click(box())
    await userEvent.click(deliver())
    await expect.element(page.getByText('The hooks changed 1 file')).toBeVisible()
    await expect.element(page.getByText('The hooks let it pass: pre-commit')).toBeVisible()
    expect(make).not.toHaveBeenCalled()
    await userEvent.click(page.getByRole('button', { name: press }))
    await expect.poll(() => make.mock.calls[0]?.[0]).toEqual(expect.objectContaining({ hooks: 'run' }))
    expect(takeHooks).toHaveBeenCalledTimes(taken)
  })

  it('that refuse show what they said, and deliver nothing before the mark is gone', async () => {
    const { make, runHooks, takeHooks } = await open(() => plan([file('/a.ts')]))
    const problem = 'The hook pre-commit refused (exit code 1).'
    runHooks.mockImplementation(() =>
      events(
        { kind: 'output', text: 'lint: \u202eno\n' },
        { kind: 'ended', end: hooksRun({ problem, files: [formatted] }) },
      ),
    )
    await userEvent.click(box())
    await userEvent.click(deliver())
    await expect.element(page.getByText(problem)).toBeVisible()
    await expect.element(page.getByRole('region', { name: 'What the hooks said' })).toHaveTextContent('lint: ')
    await userEvent.click(page.getByRole('button', { name: 'Take the changes' }))
    await expect.poll(() => page.getByText(problem).elements()).toEqual([])
    expect([takeHooks.mock.calls.length, make.mock.calls.length]).toEqual([1, 0])
    await userEvent.click(deliver())
    await expect.element(page.getByText(problem)).toBeVisible()
    await userEvent.click(box())
    await userEvent.click(deliver())
    await expect.poll(() => make.mock.calls[0]?.[0]).toEqual(expect.objectContaining({ hooks: null }))
  })

  // Mutation: without the signal in the call, the hooks go on and the dialog waits for them.
  it('that hang are stopped by the keyboard, and what they printed stays', async () => {
    const { make, runHooks } = await open(() => plan([file('/a.ts')]))
    runHooks.mockImplementation(async function* () {
      yield { kind: 'output', text: 'began\n' }
      await new Promise(() => undefined)
    })
    await userEvent.click(box())
    await userEvent.click(deliver())
    await expect.element(page.getByText('began')).toBeVisible()
    const stop = page.getByRole('button', { name: 'Stop the hooks' })
    ;(stop.element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => stop.elements()).toEqual([])
    await expect.element(deliver()).toBeEnabled()
    expect(make).not.toHaveBeenCalled()
  })
})

// Mutation: without `signal` in the call the push goes on, and the dialog waits for it.
it('stops a push that takes long', async () => {
  const { publish } = await open(() => plan([file('/a.ts')]))
  publish.mockImplementation(() => new Promise(() => undefined))
  await userEvent.click(page.getByRole('button', { name: 'Deliver 1 commit' }))
  await userEvent.click(page.getByRole('button', { name: 'Push' }))
  await userEvent.click(page.getByRole('button', { name: 'Stop the push' }))
  await expect.element(page.getByText('The push was stopped.')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Push' })).toBeEnabled()
  expect(page.getByRole('button', { name: 'Stop the push' }).elements()).toEqual([])
})

it('puts messages that a model proposes in place of those that are shown, and takes them back', async () => {
  const { make, propose } = await open(() => plan([file('/a.ts')]))
  const message = page.getByRole('textbox', { name: 'Message of commit 1' })
  await userEvent.fill(message, 'mine')
  await userEvent.click(page.getByRole('button', { name: 'Propose messages' }))
  await expect.element(message).toHaveValue('Fix it\n\nWhy.')
  await expect.element(page.getByText('Proposed by m ($0.02).')).toBeVisible()
  expect(propose.mock.calls[0]?.[0]).toEqual(expect.objectContaining({ per: 'all', uncommitted: 'leave', keep: [] }))
  await userEvent.click(page.getByRole('button', { name: 'Undo proposal' }))
  await expect.element(message).toHaveValue('mine')
  await userEvent.click(page.getByRole('button', { name: 'Propose messages' }))
  await userEvent.fill(message, 'Fix it well')
  await userEvent.click(page.getByRole('button', { name: 'Deliver 1 commit' }))
  await expect.poll(() => make.mock.calls[0]?.[0]).toEqual(expect.objectContaining({ messages: ['Fix it well'] }))
})

it('keeps the messages when nothing is proposed, and drops an answer that comes for other commits', async () => {
  const { propose } = await open(() => plan([file('/a.ts')]))
  const message = page.getByRole('textbox', { name: 'Message of commit 1' })
  propose.mockImplementationOnce(() => {
    throw new ORPCError('REFUSED', { message: 'No messages were proposed. There is no key.' })
  })
  await userEvent.click(page.getByRole('button', { name: 'Propose messages' }))
  await expect.element(page.getByText('No messages were proposed. There is no key.')).toBeVisible()
  await expect.element(message).toHaveValue('the work')
  let answer = (_: unknown): void => undefined
  propose.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)))
  await userEvent.click(page.getByRole('button', { name: 'Propose messages' }))
  await expect.element(page.getByRole('button', { name: 'Stop proposing' })).toBeVisible()
  // Mutation: without `proposal.stop` in `choose`, the answer is shown.
  await userEvent.selectOptions(page.getByRole('combobox', { name: 'One commit for' }), 'Each todo')
  answer({ messages: ['late'], model: 'm', cost: null })
  await expect.element(page.getByRole('button', { name: 'Propose messages' })).toBeVisible()
  await expect.element(message).toHaveValue('the work')
  expect(page.getByRole('button', { name: 'Undo proposal' }).elements()).toEqual([])
})

it.each([
  ['Add JWT auth, and tests!', 'add-jwt-auth-and-tests'],
  ['Ärger über Öl', 'arger-uber-ol'],
  ['  ', 'coppice-work'],
  ['a'.repeat(60), 'coppice-work'],
])('names the branch after %j', (title, name) => expect(branchNameOf(title)).toBe(name))
