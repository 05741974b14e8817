import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { lastResults, type Scenario, systemOf, taskOf } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

const path = '/memories/notes/style.md'

/** A task with the word and a text writes the note; any other reads it. Both then repeat the result. */
function noting(path: string, word: string): Scenario {
  return (request) => {
    if (lastResults(request).size > 0) return { text: `It said: ${[...lastResults(request).values()].join()}` }
    const [, text] = taskOf(request).split(`${word} `)
    return text
      ? { calls: [{ name: 'write_file', input: { file_path: path, content: `${text}\n` } }] }
      : { calls: [{ name: 'read_file', input: { file_path: path } }] }
  }
}

const script = noting(path, 'remember')

/** `asks`: the call waits for a person, as one does that tells all projects something from a folder that nobody trusts. */
async function say(page: Page, task: string, asks = false): Promise<void> {
  await page.getByRole('button', { name: 'New thread' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill(task)
  await page.getByRole('button', { name: 'Send' }).click()
  if (asks) await page.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByText('It said:').first()).toBeVisible()
}

async function openMemory(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Memory' }).click()
}

test('J. A write is shown in the chat with its undo, and stays as versions', async ({ open, model }) => {
  const { page, restart } = await open({ scenario: script })
  await say(page, 'remember tabs')
  await expect(page.getByText('Remembered')).toBeVisible()
  await page.getByRole('button', { name: 'Undo notes/style.md' }).click()
  await expect(page.getByText('taken back')).toBeVisible()
  await say(page, 'remember spaces')

  await page.getByRole('button', { name: 'Open the memory notes/style.md' }).click()
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('spaces\n')
  const versions = page.getByRole('region', { name: 'Versions' })
  await expect(versions.getByRole('listitem')).toHaveCount(3)
  await page.getByRole('textbox', { name: 'Text' }).fill('two spaces\n')
  await page.getByRole('button', { name: 'Save' }).click()
  await versions.getByRole('button', { name: 'Version 4' }).click()
  await expect(versions.getByLabel('Changes of version 4')).toContainText('two spaces')
  await page.getByRole('textbox', { name: 'Text' }).fill('api_key = "0123456789abcdef"')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toContainText('looks as if it held a secret')
  await page.getByRole('textbox', { name: 'Text' }).fill('two spaces, always\n')
  await versions.getByRole('button', { name: 'Restore version 1' }).click()
  await expect(versions.getByText('Version 1 restored')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('two spaces, always\n')
  await expect(page.getByText('Written again while you were editing')).toBeVisible()
  await page.getByRole('button', { name: 'Take what is stored' }).click()
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('tabs\n')

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('tabs\n')
  await versions.getByRole('button', { name: 'Open the thread remember tabs' }).click()
  await expect(page.getByRole('tab', { name: 'Chat' })).toBeVisible()

  const again = await restart()
  await say(again, 'recall')
  await expect(again.getByText('It said: 1 tabs')).toBeVisible()
  expect(systemOf(model.requests.at(-1))).toContain(JSON.stringify(`{"file":"${path}","begins":"tabs"}`).slice(1, -1))
})

test('J. The list can be searched and pruned, and memory can be switched off for a thread', async ({ open, model }) => {
  const { page } = await open({ scenario: script })
  await say(page, 'remember tabs')
  await openMemory(page)
  await page.getByRole('button', { name: 'New note' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('tests.md')
  await page.getByRole('textbox', { name: 'Text' }).fill('Run the tests twice')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'All memories' }).click()
  const list = page.getByRole('list', { name: 'Memories' })
  await expect(list.getByRole('listitem')).toHaveCount(2)
  await page.getByRole('searchbox', { name: 'Search memory' }).fill('TWIC')
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await expect(list).toContainText('Run the tests twice')
  await page.getByRole('searchbox', { name: 'Search memory' }).fill('')
  await list.getByRole('button', { name: 'Delete tests.md' }).click()
  await page.getByRole('combobox', { name: 'Which memories are listed' }).selectOption('deleted')
  await expect(list).toContainText('tests.md')
  await page.getByRole('combobox', { name: 'Which memories are listed' }).selectOption('unused')
  await expect(page.getByText('Everything was used in the last 30 days')).toBeVisible()

  await page.getByRole('checkbox', { name: /The agents of “remember tabs”/ }).uncheck()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('and recall')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('It said: The user switched memory off for this thread: nothing below')).toBeVisible()
  expect(systemOf(model.requests.at(-1))).not.toContain(`${path}:`)
})

test('J. Memory is exported to a folder and imported from one, and nothing is overwritten silently', async ({
  open,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-e2e-memory-'))
  mkdirSync(join(folder, 'notes'))
  writeFileSync(join(folder, 'notes/style.md'), 'from the folder\n')
  writeFileSync(join(folder, 'fresh.md'), 'fresh\n')
  writeFileSync(join(folder, 'secret.md'), 'api_key = "0123456789abcdef"')
  const { page } = await open({ scenario: script })
  await say(page, 'remember tabs')
  await openMemory(page)
  const dialog = page.getByRole('dialog')
  const choose = async (button: string) => {
    await page.getByRole('button', { name: button, exact: true }).click()
    await dialog.getByRole('textbox', { name: 'Folder path' }).fill(folder)
    await dialog.getByRole('button', { name: 'Use this folder' }).click()
  }
  await choose('Import')
  await expect(dialog.getByRole('checkbox', { name: 'fresh.md' })).toBeChecked()
  await expect(dialog.getByRole('checkbox', { name: 'notes/style.md' })).not.toBeChecked()
  await expect(dialog.getByRole('checkbox', { name: 'secret.md' })).toBeDisabled()
  await expect(dialog).toContainText('looks as if it held a secret')
  await dialog.getByRole('checkbox', { name: 'notes/style.md' }).check()
  await dialog.getByRole('button', { name: 'Import 2' }).click()
  await expect(page.getByRole('list', { name: 'Memories' })).toContainText('from the folder')
  await page.getByRole('button', { name: 'Delete fresh.md' }).click()
  writeFileSync(join(folder, 'notes/style.md'), 'changed there\n')
  await choose('Export')
  await expect(dialog.getByRole('checkbox', { name: 'notes/style.md' })).not.toBeChecked()
  await dialog.getByRole('checkbox', { name: 'notes/style.md' }).check()
  await dialog.getByRole('button', { name: 'Export 1' }).click()
  await expect(page.getByText('Exported 1 memory')).toBeVisible()
  expect(readFileSync(join(folder, 'notes/style.md'), 'utf8')).toBe('from the folder\n')
})

test('J. Notes for all projects have a section of their own with versions, search, undo and a switch', async ({
  open,
  model,
}) => {
  const { page } = await open({ scenario: noting('/memories/user/preferences.md', 'prefer') })
  await say(page, 'prefer tabs', true)
  await expect(page.getByText('Remembered for all projects')).toBeVisible()
  await page.getByRole('button', { name: 'Undo preferences.md' }).click()
  await expect(page.getByText('taken back')).toBeVisible()
  await say(page, 'prefer spaces', true)
  await page.getByRole('button', { name: 'Open the memory preferences.md' }).click()
  const versions = page.getByRole('region', { name: 'Versions' })
  await expect(versions.getByRole('listitem')).toHaveCount(3)
  await page.getByRole('textbox', { name: 'Text' }).fill('two spaces\n')
  await page.getByRole('button', { name: 'Save' }).click()
  await versions.getByRole('button', { name: 'Version 4' }).click()
  await expect(versions.getByLabel('Changes of version 4')).toContainText('two spaces')
  await versions.getByRole('button', { name: 'Restore version 1' }).click()
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('tabs\n')
  await page.getByRole('button', { name: 'All memories' }).click()

  const section = page.getByRole('region', { name: 'For all projects' })
  await section.getByRole('button', { name: 'Add a note for all projects' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('tests.md')
  await page.getByRole('textbox', { name: 'Text' }).fill('api_key = "0123456789abcdef"')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toContainText('looks as if it held a secret')
  await page.getByRole('textbox', { name: 'Text' }).fill('Run the tests twice')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'All memories' }).click()
  const list = section.getByRole('list', { name: 'Notes for all projects' })
  await expect(list.getByRole('listitem')).toHaveCount(2)
  await section.getByRole('searchbox', { name: 'Search the notes for all projects' }).fill('TWIC')
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await section.getByRole('searchbox').fill('')
  await list.getByRole('button', { name: 'Delete tests.md' }).click()
  await expect(list.getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(list).toContainText('Run the tests twice')
  await expect(page.getByText('Nothing is remembered yet'), 'the list of the project').toBeVisible()

  await section.getByRole('checkbox', { name: 'Agents know the notes for all projects' }).uncheck()
  await page.getByRole('button', { name: 'Back' }).click()
  await say(page, 'recall')
  await expect(page.getByText('It said: There is no file /memories/user/').first()).toBeVisible()
  expect(systemOf(model.requests.at(-1))).not.toContain('/memories/user/')
})
