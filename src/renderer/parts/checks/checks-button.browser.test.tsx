import { expect, it } from 'vitest'
import type { CheckState } from '#shared/model/check.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { branchId, created, event } from '../../state/store/entries.testkit.ts'
import { checksViewOf, resultOf, standingOf, viewOf } from './checks.testkit.ts'
import { ChecksButton } from './checks-button.tsx'

/** A window whose host has one branch with the checks `lint` and `test`, and remembers what the page asked for. */
async function render(lint: CheckState, test: CheckState, names: readonly string[] = ['lint', 'test']) {
  const asked: (readonly [string, unknown])[] = []
  const note = (name: string) => (input: unknown) => void asked.push([name, input])
  const result = resultOf('test', {
    output: 'not ok 1 - adds\n',
    note: 'It could not reach a.org.',
    dropped: ['/out.txt' as VirtualPath],
  })
  const answers = {
    'checks.list': () => checksViewOf(names),
    'checks.ofBranches': () => [standingOf(branchId, test, [viewOf('lint', lint, false), viewOf('test', test)])],
    'checks.result': () => result,
    'checks.run': note('run'),
    'checks.cancel': note('cancel'),
  }
  const { screen } = await renderInWindow(<ChecksButton branchId={branchId} name="parser" />, answers as object, [
    event(1, created),
  ])
  return { screen, asked, button: (name: string) => screen.getByRole('button', { name, exact: true }) }
}

it('says the state in words, and opens the output of the check that failed', async () => {
  const { screen, asked, button } = await render('green', 'red')
  await button('Checks: red').click()
  const dialog = screen.getByRole('dialog', { name: 'Checks of parser' })
  await expect.element(dialog).toHaveTextContent('exit code 1 · 1.4 s · tree ba7816bf')
  await expect.element(dialog).toHaveTextContent('It could not reach a.org.')
  await expect.element(dialog).toHaveTextContent('Their changes were dropped: /out.txt')
  await expect.element(screen.getByRole('region', { name: 'Output: test' })).toHaveTextContent('not ok 1 - adds')
  await button('Run again').click()
  await expect.poll(() => asked).toEqual([['run', { projectId: 'project', branchId, again: true }]])
})

it('offers to run what has no result for these files, and to cancel what runs', async () => {
  const stale = await render('none', 'stale')
  await stale.button('Checks: stale').click()
  await expect.element(stale.screen.getByRole('dialog')).toHaveTextContent('This result is of older files.')
  await stale.button('Run checks').click()
  await expect.poll(() => stale.asked).toEqual([['run', { projectId: 'project', branchId, again: false }]])
  await stale.screen.unmount()
  const running = await render('queued', 'running')
  await running.button('Checks: running').click()
  await running.button('Cancel').click()
  await expect.poll(() => running.asked).toEqual([['cancel', { projectId: 'project', branchId }]])
})

it('shows nothing in a project without checks', async () => {
  const { screen } = await render('none', 'none', [])
  await expect.poll(() => screen.container.querySelector('button')).toBeNull()
})
