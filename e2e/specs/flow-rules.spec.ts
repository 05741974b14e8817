import { type Scenario, turnOf } from '../model-server/scenario.ts'
import { expect, test } from '../support/window.ts'

const writes = (...paths: readonly string[]) => ({
  calls: paths.map((file_path, index) => ({
    name: 'write_file',
    id: `w${index}${file_path.length}`,
    input: { file_path, content: 'x\n' },
  })),
})

/** Writes in three turns: two files in one folder, and one in another. */
const writer: Scenario = (request) => {
  const turns = [writes('/notes/a.md'), writes('/notes/b.md'), writes('/other/c.md')]
  return turns[turnOf(request)] ?? { text: 'All written.' }
}

test('D. Always allow proposes a rule and shows its reach, and calls that fit the rule no longer ask', async ({
  open,
}) => {
  const { page } = await open({ scenario: writer })
  await page.getByRole('textbox', { name: 'Message' }).fill('Write notes')
  await page.getByRole('button', { name: /Approval mode/ }).click()
  await page.getByRole('menuitem', { name: /^Ask/ }).click()
  await page.getByRole('button', { name: 'Send' }).click()
  const cards = page.getByRole('group', { name: 'Approval: write_file by main' })
  await expect(cards).toContainText('/notes/a.md')
  await expect(cards.getByRole('button', { name: 'Keep', exact: true })).toBeEnabled()
  await cards.focus()
  await page.keyboard.press('l')
  const dialog = page.getByRole('dialog', { name: 'Always allow' })
  await expect(dialog.getByRole('textbox')).toHaveValue('write_file(/notes/a.md)')
  await dialog.getByRole('radio', { name: 'Calls like this one' }).check()
  await expect(dialog.getByRole('textbox')).toHaveValue('write_file(/notes/**)')
  await expect(dialog).toContainText('Would have matched 1 of 1 calls so far')
  await dialog.getByRole('textbox').fill('no rule!')
  await expect(dialog.getByRole('alert')).toContainText('is not a rule')
  await dialog.getByRole('textbox').fill('write_file(/notes/**)')
  await dialog.getByRole('button', { name: 'Allow and keep' }).click()
  await expect(cards, 'the second note does not ask, but the other folder does').toContainText('/other/c.md')
  await cards.getByRole('button', { name: 'Keep', exact: true }).click()
  await expect(page.getByText('All written.')).toBeVisible()
})

test('Settings → Permissions: rules are added and removed, and a rule that never decides says why', async ({
  open,
}) => {
  const { page } = await open({ scenario: writer })
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Permissions' }).click()
  const [deny, allow] = [page.getByRole('region', { name: 'Deny' }), page.getByRole('region', { name: 'Allow' })]
  await allow.getByRole('textbox').fill('Bash(aws s3 ls)')
  await allow.getByRole('textbox').press('Enter')
  await expect(allow.getByText('Bash(aws s3 ls)')).toBeVisible()
  await deny.getByRole('textbox').fill('Bash(aws *)')
  await deny.getByRole('button', { name: 'Add to Deny' }).click()
  await expect(allow).toContainText('Never decides: Bash(aws *) comes first.')
  await deny.getByRole('textbox').fill('no rule!')
  await deny.getByRole('textbox').press('Enter')
  await expect(page.getByRole('alert')).toContainText('is not a rule')
  await deny.getByRole('button', { name: 'Remove Bash(aws *)' }).click()
  await expect(allow).not.toContainText('Never decides')
  await page.reload()
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Permissions' }).click()
  await expect(allow.getByText('Bash(aws s3 ls)')).toBeVisible()
  await expect(deny).toContainText('Nothing is denied.')
})
