import { expect, it, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { ConflictSides } from '#shared/contract/views/branches.ts'
import type { Conflict } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { ConflictEditor } from './conflict-editor.tsx'

const path = '/src/a.txt' as VirtualPath
const texts: ConflictSides = {
  path,
  conflict: null,
  base: 'top\none\nmiddle\ntwo\nend\n',
  ours: 'top\nONE\nmiddle\nTWO\nend\n',
  theirs: 'top\nfirst\nmiddle\nsecond\nend\n',
}
const contentOf = (reason: Conflict['reason']): Conflict => ({
  path,
  reason,
  mergeable: false,
  base: { state: 'file', size: 1 },
  ours: { state: 'file', size: 1 },
  theirs: { state: 'file', size: 1 },
})

async function show(sides: ConflictSides, draftKey: string | null = null) {
  const saved = vi.fn(async () => true)
  const taken = vi.fn(async () => true)
  const { screen } = await renderInWindow(
    <ConflictEditor
      takesFocus
      draftKey={draftKey}
      sides={sides}
      oursBy=""
      theirs="helper"
      busy={false}
      onSave={saved}
      onTake={taken}
      onDone={() => undefined}
    />,
  )
  const button = (name: string) => screen.getByRole('button', { name, exact: true })
  return { screen, saved, taken, button, status: screen.getByRole('status'), save: button('Save result') }
}

const content = { ...texts, conflict: contentOf('content') }

it('chooses nothing at first, and is decided by keys alone', async () => {
  const { screen, saved, status, save } = await show(content)
  await expect.element(status).toHaveTextContent('0 of 2 decided')
  await expect.element(save).toBeDisabled()
  await expect.element(save).toHaveAccessibleDescription('To save, decide the 2 open conflicts or edit the text.')
  await expect.element(screen.getByRole('group', { name: 'Conflict 1 of 2' })).toHaveFocus()
  await userEvent.keyboard('2n')
  await expect.element(screen.getByRole('group', { name: 'Conflict 2 of 2' })).toHaveFocus()
  await expect.element(screen.getByText('Conflict 1: takes incoming')).toBeVisible()
  await userEvent.keyboard('33')
  await expect.element(screen.getByText('Conflict 2: takes incoming, then current')).toBeVisible()
  await expect.element(status).toHaveTextContent('2 of 2 decided')
  await save.click()
  expect(saved).toHaveBeenCalledWith('top\nfirst\nmiddle\nsecond\nTWO\nend\n')
})

it('asks before a choice replaces what was typed, and keeps what was typed elsewhere', async () => {
  const { screen, saved, button, save } = await show(content)
  const result = screen.getByRole('textbox', { name: 'Result' })
  await expect.element(result).toHaveTextContent(/one.*two/)
  await screen.getByText('one', { exact: true }).last().click()
  await userEvent.keyboard('{End} // EDIT')
  await expect.element(screen.getByText('Conflict 1: edited by you')).toBeVisible()
  await userEvent.keyboard('12')
  await button('Incoming').first().click()
  await button('Keep what I typed').click()
  await button('Current').nth(1).click()
  await save.click()
  expect(saved).toHaveBeenLastCalledWith('top\none // EDIT12\nmiddle\nTWO\nend\n')
  await button('Incoming').first().click()
  await button('Replace it').click()
  await save.click()
  expect(saved).toHaveBeenLastCalledWith('top\nfirst\nmiddle\nTWO\nend\n')
})

it('keeps the draft while the person is elsewhere, and tells when a side changed since', async () => {
  localStorage.clear()
  const first = await show(content, 'draft')
  await first.button('Current').first().click()
  await first.screen.getByText('two', { exact: true }).last().click()
  await userEvent.keyboard('{End}!')
  await first.screen.unmount()
  const again = await show(content, 'draft')
  await expect.element(again.screen.getByRole('textbox', { name: 'Result' })).toHaveTextContent(/ONE.*two!/)
  await expect.element(again.status).toHaveTextContent('2 of 2 decided')
  await again.screen.unmount()
  const moved = await show({ ...content, theirs: 'top\nother\nmiddle\nsecond\nend\n' }, 'draft')
  await expect.element(moved.screen.getByText('A side of this conflict changed after you typed')).toBeVisible()
  await expect.element(moved.screen.getByRole('textbox', { name: 'Result' })).toHaveTextContent(/ONE.*two!/)
})

it('keeps or deletes a file that one side deleted', async () => {
  const version = { kind: 'file', size: 4, executable: false, identity: 'ab'.repeat(32) } as const
  const { screen, taken, button, save } = await show({
    ...texts,
    conflict: contentOf('delete_modify'),
    theirs: null,
    versions: { base: version, ours: version, theirs: null },
  })
  await expect.element(screen.getByText('Deleted on this side')).toBeVisible()
  await expect.element(save).toBeDisabled()
  await button('Delete the file').click()
  expect(taken).toHaveBeenLastCalledWith('theirs')
  await button('Keep the file').click()
  expect(taken).toHaveBeenLastCalledWith('ours')
})

it('takes either side of a binary file, and says how they differ', async () => {
  const version = { kind: 'file', size: 4, executable: false, identity: 'ab'.repeat(32) } as const
  const { screen, taken, button } = await show({
    path,
    conflict: contentOf('binary'),
    base: null,
    ours: null,
    theirs: null,
    versions: { base: version, ours: version, theirs: { ...version, size: 2048, executable: true } },
  })
  await expect.element(screen.getByText(/^2 KB · executable · SHA-256 abab/)).toBeVisible()
  await button('Take incoming file').click()
  expect(taken).toHaveBeenLastCalledWith('theirs')
  await button('Keep current file').click()
  expect(taken).toHaveBeenLastCalledWith('ours')
})
