import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { type Scenario, turnOf } from '../model-server/scenario.ts'
import { examine } from '../support/axe.ts'
import { expect, test } from '../support/window.ts'

const scenario: Scenario = (request) =>
  turnOf(request) === 0
    ? {
        calls: [
          { name: 'write_file', input: { file_path: '/agent.txt', content: 'by the agent\n' } },
          { name: 'execute', input: { command: 'printf "first\\nsecond \\033[31mred\\033[0m\\n"; cat agent.txt' } },
        ],
      }
    : { text: 'All done.' }

/** The text of a terminal, as a screen reader gets it. */
const shownIn = (panel: Locator): Locator => panel.locator('.xterm-accessibility-tree')

async function type(page: Page, line: string): Promise<void> {
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
}

/** Waits for the prompt of a shell. */
async function ready(panel: Locator): Promise<void> {
  await expect(panel.locator('.xterm-helper-textarea')).toBeFocused()
  await expect(shownIn(panel)).toContainText(/[$#%>]/)
}

async function openTerminal(page: Page): Promise<Locator> {
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
  await page.keyboard.press('Control+`')
  const panel = page.getByRole('region', { name: 'Terminal' })
  await expect(panel.getByRole('tab', { name: 'Terminal 1' })).toBeVisible()
  await ready(panel)
  return panel
}

test('The person’s shell runs in the project folder, and hiding the panel does not end it', async ({
  open,
  project,
}) => {
  project.mayChange()
  const { page } = await open({ scenario })
  const panel = await openTerminal(page)
  await type(page, 'export KEPT=still-here; echo hi > by-hand.txt')
  await expect.poll(() => existsSync(join(project.folder, 'by-hand.txt'))).toBe(true)
  await panel.getByRole('button', { name: 'Hide' }).click()
  await expect(panel).toHaveCount(0)
  await openTerminal(page)
  await type(page, 'echo "[$KEPT]"')
  await expect(shownIn(panel)).toContainText('[still-here]')
  await type(page, 'exit')
  await expect(panel.getByText('The shell has ended.')).toBeVisible()
  await panel.getByRole('button', { name: 'Start again' }).click()
  await expect(panel.getByRole('tab', { name: 'Terminal 2' })).toHaveAttribute('aria-selected', 'true')
})

test('A shell in the mount of a branch: its changes wait over a reload, are kept or dropped once, and never reach the disk', async ({
  open,
  project,
}) => {
  const { page } = await open({ scenario })
  await page.getByRole('textbox', { name: 'Message' }).fill('Write')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Keep', exact: true }).click()
  await expect(page.getByText('All done.')).toBeVisible()
  const panel = await openTerminal(page)

  await test.step('The output of an agent’s command is read-only', async () => {
    await panel.getByRole('tab', { name: 'Agent output' }).click()
    await expect(panel.getByRole('list', { name: 'Commands of agents' }).getByRole('button')).toContainText('printf')
    await expect(shownIn(panel)).toContainText('second red')
    await expect(shownIn(panel)).toContainText('Exit code 0')
  })

  for (const [end, file, answer] of [
    ['by the person', 'kept.txt', 'Keep on the branch'],
    ['by a reload', 'dropped.txt', 'Drop'],
    ['by a reload', 'kept-later.txt', 'Keep on the branch'],
  ] as const) {
    await openView(page, panel)
    await type(page, `cat agent.txt; cp agent.txt ${file}; echo ma''de`)
    await expect(shownIn(panel)).toContainText('by the agent')
    await expect(shownIn(panel)).toContainText('made')
    if (end === 'by the person') await panel.getByRole('button', { name: 'End this terminal' }).click()
    else {
      await page.reload()
      await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
      await page.keyboard.press('Control+`')
    }
    await expect(panel.getByText('1 file was changed in this view of')).toBeVisible()
    await expect(panel.getByText(`/${file}`, { exact: true })).toBeVisible()
    await panel.getByRole('button', { name: answer }).click()
    await expect(panel.getByRole('tab', { name: 'View of' })).toHaveCount(0)
  }
  await page.getByRole('tab', { name: 'Changes' }).click()
  for (const file of ['/kept.txt', '/kept-later.txt']) await expect(page.getByRole('row', { name: file })).toBeVisible()
  await expect(page.getByRole('row', { name: '/dropped.txt' })).toHaveCount(0)
  expect(existsSync(join(project.folder, 'kept.txt'))).toBe(false)
})

/** Opens a shell in the view of a branch, and waits until it takes input. */
async function openView(page: Page, panel: Locator): Promise<void> {
  await panel.getByRole('button', { name: 'New terminal' }).click()
  await page.getByRole('menuitem', { name: 'In a view of' }).click()
  await expect(panel.getByRole('tab', { name: 'View of' })).toHaveAttribute('aria-selected', 'true')
  await ready(panel)
}

/** Each of these asks the terminal for an answer that would come back as typed text. */
const queries = [
  '\\033[c',
  '\\033[>c',
  '\\033[=c',
  '\\033[5n',
  '\\033[6n',
  '\\033[?6n',
  '\\033[?15n',
  '\\033[?2026$p',
  '\\033[4$p',
  '\\033[>q',
  '\\033[?u',
  '\\033[21t',
  '\\033[18t',
  '\\033[14t',
  '\\033P$qm\\033\\\\',
  '\\033P+q544e\\033\\\\',
  '\\033]4;1;?\\007',
  '\\033]10;?\\007',
  '\\033]11;?\\033\\\\',
  '\\033]12;?\\007',
  '\\033]52;c;?\\007',
  '\\005',
]

test('Output cannot type, write the clipboard, or open links', async ({ open, project }) => {
  project.mayChange()
  const { page } = await open({ scenario })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(() => navigator.clipboard.writeText('mine'))
  const copied = Buffer.from('stolen').toString('base64')
  writeFileSync(
    join(project.folder, 'evil.sh'),
    `printf '${queries.join('')}\\033]52;c;${copied}\\007'; printf '\\033]8;;http://evil.test/hidden\\033\\\\click me\\033]8;;\\033\\\\\\n'\n`,
  )
  const panel = await openTerminal(page)
  await type(page, 'clear; bash evil.sh; read -t 1 -n 1 typed; echo "typed=[$typed]"; echo "$typed" > typed.txt')
  await expect(shownIn(panel)).toContainText('typed=[]')
  expect(readFileSync(join(project.folder, 'typed.txt'), 'utf8')).toBe('\n')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine')

  const screen = panel.locator('.xterm-screen')
  const box = await screen.boundingBox()
  if (!box) throw new Error('the terminal has no size')
  await page.mouse.move(box.x + 20, box.y + 6)
  await expect(panel.locator('[title="http://evil.test/hidden"]')).toBeVisible()
  await page.mouse.click(box.x + 20, box.y + 6)
  await expect(panel.getByText('This link leads to')).toBeVisible()
  await expect(panel.getByText('http://evil.test/hidden')).toBeVisible()
  await panel.getByRole('button', { name: 'Cancel' }).click()
  expect(page.context().pages()).toHaveLength(1)

  test.skip(test.info().project.name !== 'web', 'the desktop shell asks the system to open links')
  await page.context().route('http://evil.test/**', (route) => route.fulfill({ body: 'elsewhere' }))
  await page.mouse.move(box.x + 40, box.y + 6)
  await page.mouse.click(box.x + 40, box.y + 6)
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    panel.getByRole('button', { name: 'Open', exact: true }).click(),
  ])
  await expect(opened).toHaveURL('http://evil.test/hidden')
  expect(await opened.evaluate(() => [window.opener, document.referrer])).toEqual([null, ''])
})

test('Pasted text loses its control characters, and the person confirms lines that a shell would run at once', async ({
  open,
  project,
}) => {
  project.mayChange()
  const { page } = await open({ scenario })
  const panel = await openTerminal(page)
  await type(page, 'bind "set enable-bracketed-paste off"; exec cat > pasted.txt')
  const paste = (text: string) =>
    panel.locator('.xterm-helper-textarea').evaluate((element, value) => {
      const data = new DataTransfer()
      data.setData('text/plain', value)
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    }, text)
  await expect.poll(() => existsSync(join(project.folder, 'pasted.txt'))).toBe(true)
  await paste('one\u001b[201~two\u0003')
  await page.keyboard.press('Enter')
  await expect.poll(() => readFileSync(join(project.folder, 'pasted.txt'), 'utf8')).toBe('one[201~two\n')
  await paste('three\nfour\n')
  await expect(panel.getByText('Paste 3 lines?')).toBeVisible()
  await panel.getByRole('button', { name: 'Paste' }).click()
  await expect.poll(() => readFileSync(join(project.folder, 'pasted.txt'), 'utf8')).toContain('three\nfour\n')
})

test('A terminal takes the colours of the page when they change, and can be read in forced colours', async ({
  open,
}) => {
  const { page } = await open()
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' })
  const panel = await openTerminal(page)
  await type(page, "printf '\\033[32mgreen \\033[2mdim \\033[31mred\\033[0m plain\\n'")
  await expect(shownIn(panel)).toContainText('green dim red plain')
  const unreadable = async () => {
    const { violations } = await examine(page, (axe) => axe.include('.xterm').withRules('color-contrast'))
    return violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`))
  }
  const background = () =>
    panel.locator('.xterm-scrollable-element').evaluate((element) => getComputedStyle(element).backgroundColor)
  const light = await background()
  await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'none', reducedMotion: 'reduce' })
  await expect.poll(background).not.toBe(light)
  for (const forcedColors of ['none', 'active'] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' })
      await expect.poll(unreadable, `${colorScheme}, forced colours ${forcedColors}`).toEqual([])
    }
})
