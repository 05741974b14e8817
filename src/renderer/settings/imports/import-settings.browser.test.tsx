import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ImportItem, ImportList } from '#shared/contract/views/imports.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { ImportSettings } from './import-settings.tsx'

const plan: ImportItem = {
  ...{ id: 'cursor/home/command/plan', tool: 'cursor', kind: 'command', name: 'plan', scope: 'home' },
  ...{ source: '~/.cursor/commands/plan.md', target: '/data/commands/plan.md', preview: 'Plan the work.\n' },
  ...{ before: null, state: 'new', safe: true, notes: [] },
}
const server: ImportItem = {
  ...plan,
  ...{ id: 'claude/home/server/docs', tool: 'claude', kind: 'server', name: 'docs', source: '~/.claude.json' },
  ...{ target: '/data/settings.json: mcp_servers.docs', preview: '{ "docs": { "url": "https://new.example/mcp" } }' },
  ...{ before: '{ "docs": { "url": "https://old.example/mcp" } }', state: 'differs', safe: false },
  notes: ['A secret is not copied. Set the variable DOCS_TOKEN where Coppice starts.'],
}
const hook: ImportItem = {
  ...plan,
  ...{
    id: 'cursor/home/hook/stop',
    kind: 'hook',
    name: 'stop',
    target: '',
    preview: '',
    state: 'left_out',
    safe: false,
  },
  notes: ['A hook of Cursor reads and answers in Cursor’s own form.'],
}
const skill: ImportItem = {
  ...plan,
  ...{ id: 'claude/home/skill/tidy', tool: 'claude', kind: 'skill', name: 'tidy', target: '', preview: '' },
  ...{ state: 'read_here', safe: false },
}
const list: ImportList = {
  ...{ items: [server, skill, plan, hook], problems: [], folder: 'read', fingerprint: 'f', undo: null },
}
const written = { id: 'i', at: 1_700_000_000_000, written: ['/data/commands/plan.md'] }

async function show(answers: object): Promise<void> {
  await renderInWindow(<ImportSettings text="" onSaved={() => undefined} />, answers)
}

it('shows what each would become, takes what is chosen by keyboard, and takes it back', async () => {
  const asked: unknown[] = []
  let now = list
  await show({
    'imports.find': () => now,
    'imports.take': (input: unknown) => {
      asked.push(input)
      now = { ...list, undo: written }
      return written
    },
    'imports.undo': (input: unknown) => {
      asked.push(input)
      now = list
      return { restored: [], kept: ['/data/commands/plan.md was changed since, so it stays.'] }
    },
  })
  await expect.element(page.getByRole('checkbox', { name: 'Command plan' })).toBeChecked()
  const docs = page.getByRole('checkbox', { name: 'Server docs' })
  await expect.element(docs).not.toBeChecked()
  await expect.element(page.getByText('Left out', { exact: true })).toBeVisible()
  await expect.element(page.getByText(/A hook of Cursor reads/)).toBeVisible()
  await page.getByLabelText('Preview of docs').click()
  await expect.element(page.getByText(/new\.example/)).toBeVisible()
  docs.element().focus()
  await userEvent.keyboard(' ')
  page.getByRole('button', { name: 'Import 2' }).element().focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText(/^Took 1 definition/)).toBeVisible()
  // The next key is one beside what came of it.
  await expect.element(page.getByRole('region', { name: 'The latest import' })).toHaveFocus()
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByRole('button', { name: 'Undo' })).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText(/except for what you changed since/)).toBeVisible()
  await expect.element(page.getByRole('region', { name: 'The latest import' })).toHaveFocus()
  await page.getByText('1 definition needs no import').click()
  await expect.element(page.getByText('Read where it is')).toBeVisible()
  expect(asked).toEqual([
    { projectId: 'project', ids: [server.id, plan.id], fingerprint: 'f' },
    { projectId: 'project', id: 'i' },
  ])
})

it('says what was not read, and why a list that changed is not taken', async () => {
  await show({
    'imports.find': () => ({
      ...list,
      folder: 'untrusted',
      problems: ['~/.codex/config.toml: It is not TOML, so it was not read.'],
    }),
    'imports.take': () => {
      throw Object.assign(new Error('What is there changed since this list was made. Look at it again.'), {
        code: 'CONFLICT',
      })
    },
  })
  await expect.element(page.getByText('The files of the open folder were not read')).toBeVisible()
  await expect.element(page.getByText(/config\.toml: It is not TOML/)).toBeVisible()
  await page.getByRole('button', { name: 'Import 1' }).click()
  await expect.element(page.getByRole('alert')).toBeVisible()
})

it('says that nothing was found', async () => {
  await show({ 'imports.find': () => ({ ...list, items: [], folder: 'none' }) })
  await expect.element(page.getByText('Nothing was found')).toBeVisible()
  await expect.element(page.getByText('No project is open')).toBeVisible()
})
