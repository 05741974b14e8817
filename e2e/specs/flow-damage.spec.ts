import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from '../support/window.ts'

test('I. A damaged database is kept, a new one is started, and the last backup is offered', async ({
  open,
  dataFolder,
}) => {
  const { page, restart } = await open({ scenario: () => ({ text: 'Done before the damage.' }) })
  await page.getByRole('textbox', { name: 'Message' }).fill('Remember me')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Done before the damage.')).toBeVisible()
  // Words are shown while they arrive. They are stored when the turn is over.
  await expect(page.getByRole('button', { name: 'Stop' })).toHaveCount(0)
  const [id = ''] = readdirSync(join(dataFolder, 'projects'))
  const folder = join(dataFolder, 'projects', id)
  const file = join(folder, 'project.db')
  const stored = new Database(file, { readonly: true })
  stored.prepare('VACUUM INTO ?').run(`${file}.v3-2026-01-02T03-04-05.000Z.backup`)
  stored.close()

  for (const part of [file, `${file}-wal`]) writeFileSync(part, 'this is not a database any more')
  const damaged = await restart()
  await expect(damaged.getByText('The data of ledger was damaged')).toBeVisible()
  await expect(damaged.getByText('Done before the damage.')).toHaveCount(0)
  await damaged.getByRole('button', { name: 'Go back to the backup of' }).click()
  await expect(damaged.getByText('Done before the damage.')).toBeVisible()
  await expect(damaged.getByText('The data of ledger was damaged')).toHaveCount(0)
  expect(readdirSync(folder).filter((name) => /\.damaged-[\dTZ.-]+$/.test(name))).toHaveLength(2)
})
