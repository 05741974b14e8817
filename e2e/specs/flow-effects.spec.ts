import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { openForeignServer } from '../../src/main/adapters/shell/grants/foreign-server.testkit.ts'
import { lastResults, type Scenario, turnOf } from '../model-server/scenario.ts'
import { seriousIn, violationsAtNight } from '../support/axe.ts'
import { settled } from '../support/settled.ts'
import { beginThread, expect, test } from '../support/window.ts'

const run = (id: string, command: string) => ({ name: 'execute', id, input: { command } })
const results: (request: Parameters<Scenario>[0]) => string = (request) =>
  `Results: ${[...lastResults(request).values()].join(' | ').replaceAll('\n', ' ')}`

/** Runs these commands in one reply, then says what came back. */
const reply =
  (...commands: readonly string[]): Scenario =>
  (request) =>
    turnOf(request) > 0
      ? { text: results(request) }
      : { calls: commands.map((command, index) => run(`call-${index}`, command)) }

const cards = (page: Page) => page.getByRole('group', { name: 'Approval: execute by main' })

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

async function chooseMode(page: Page, mode: string): Promise<void> {
  await page.getByRole('button', { name: /^Approval mode:/ }).click()
  await page.getByRole('menuitem', { name: new RegExp(`^${mode} `) }).click()
}

test('D. A command runs at once and its effects wait: kept, kept in part, run again, dropped, and by mode', async ({
  open,
  model,
}) => {
  const { page } = await open()
  await test.step('D. A command runs at once, its card shows what it did, stays over a reload, and Keep hands it to the agent', async () => {
    await beginThread(
      page,
      model,
      reply('for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do echo row $i; done; echo hello > new.txt'),
    )
    await say(page, 'Make a file')
    await expect(cards(page)).toContainText('ran a command – look at what it did')
    await page.reload()
    await expect(cards(page)).toContainText('Exit 0')
    await expect(cards(page)).toContainText('row 18')
    await expect(cards(page)).not.toContainText('row 2')
    await cards(page)
      .getByRole('button', { name: /earlier lines/ })
      .click()
    await expect(cards(page)).toContainText('row 2')
    await expect(cards(page).getByText('hello', { exact: true })).toBeVisible()
    await page.getByRole('tab', { name: 'Changes' }).click()
    await expect(page.getByText('/new.txt'), 'nothing is kept before a person keeps it').toHaveCount(0)
    await page.getByRole('tab', { name: 'Chat' }).click()
    expect(seriousIn({ violations: await violationsAtNight(page) })).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    await settled(page)
    expect(seriousIn({ violations: await violationsAtNight(page) })).toEqual([])
    await cards(page).getByRole('button', { name: 'Keep', exact: true }).click()
    await expect(page.getByText(/Results: .*row 18/)).toBeVisible()
    await expect(page.getByText('kept', { exact: true })).toBeVisible()
    await page.getByRole('tab', { name: 'Changes' }).click()
    await expect(page.getByText('/new.txt').first()).toBeVisible()
  })

  await test.step('D. Held commands of one reply are a chain: keep some files of the first, run the second again, edit and drop the third', async () => {
    await beginThread(
      page,
      model,
      reply('echo a > a.txt; echo b > b.txt', 'ls *.txt > list.out; cat list.out', 'echo third > third.txt'),
    )
    await say(page, 'Make files')
    await expect(cards(page)).toHaveCount(3)
    await expect(page.getByRole('button', { name: 'Keep all 3' })).toBeVisible()
    await expect(cards(page).nth(1)).toContainText('Builds on the call before: Ran echo a > a.txt')
    await expect(cards(page).nth(1)).toContainText('b.txt')

    await cards(page).first().getByRole('button', { name: 'Keep some files' }).click()
    await cards(page).first().getByRole('checkbox', { name: 'Keep /b.txt' }).uncheck()
    await cards(page).first().getByRole('button', { name: 'Keep 1 of 2 files' }).click()
    await expect(cards(page)).toHaveCount(2)
    await expect(cards(page).first()).toContainText('it runs again without it and is shown again')
    await cards(page).first().getByRole('button', { name: 'Keep', exact: true }).click()
    await expect(cards(page)).toHaveCount(1)
    await cards(page).getByRole('button', { name: 'Edit and run again' }).click()
    await cards(page).getByRole('textbox', { name: 'Command to run instead' }).fill('echo edited > edited.txt')
    await cards(page).getByRole('button', { name: 'Run again', exact: true }).click()

    await expect(cards(page).first().getByRole('region', { name: 'Output' })).toHaveText(/^a\.txt\s*$/)
    await cards(page).first().getByRole('button', { name: 'Keep', exact: true }).click()
    await expect(cards(page)).toHaveCount(1)
    await expect(cards(page).getByRole('region', { name: 'Files it changed' })).toContainText('/edited.txt')
    await cards(page)
      .getByRole('textbox', { name: /^Reason/ })
      .fill('not needed')
    await cards(page).getByRole('button', { name: 'Drop' }).click()
    await expect(page.getByText(/Results: .*not needed/)).toBeVisible()
    await page.getByRole('tab', { name: 'Changes' }).click()
    for (const kept of ['/a.txt', '/list.out']) await expect(page.getByText(kept).first()).toBeVisible()
    for (const dropped of ['/b.txt', '/third.txt', '/edited.txt']) await expect(page.getByText(dropped)).toHaveCount(0)
  })

  await test.step('D. Auto keeps what a command did, and Plan drops it', async () => {
    await beginThread(page, model, reply('echo seen; echo x > made.txt'))
    await chooseMode(page, 'Plan')
    await say(page, 'Look around')
    await expect(page.getByText(/Results: .*seen/)).toBeVisible()
    await expect(page.getByText('effects dropped', { exact: true })).toBeVisible()
    await page.getByRole('tab', { name: 'Changes' }).click()
    await expect(page.getByText('/made.txt')).toHaveCount(0)
    await page
      .getByRole('button', { name: /New thread/ })
      .first()
      .click()
    await chooseMode(page, 'Auto')
    await say(page, 'Do it')
    await expect(page.getByText(/Results: .*seen/)).toBeVisible()
    await page.getByRole('tab', { name: 'Changes' }).click()
    await expect(page.getByText('/made.txt').first()).toBeVisible()
  })
})

test('D. An edit of a file is tried, its card shows the change, and Keep, Edit and Drop decide it', async ({
  dataFolder,
  open,
}) => {
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ approval_mode: 'ask' }))
  const write = (name: string, old_string: string, new_string: string) => ({
    ...{ name: 'edit_file', id: name },
    input: { file_path: '/package.json', old_string, new_string },
  })
  const { page } = await open({
    scenario: (request) =>
      turnOf(request) > 0
        ? { text: results(request) }
        : {
            calls: [
              write('one', '"name"', '"title"'),
              write('two', '"version"', '"release"'),
              write('three', 'not in the file', 'x'),
            ],
          },
  })
  await say(page, 'Rename it')
  const edits = page.getByRole('group', { name: 'Approval: edit_file by main' })
  await expect(edits, 'nobody is asked about the one that fails').toHaveCount(2)
  await expect(edits.first()).toContainText('edited a file – look at what it did')
  await expect(edits.first().getByRole('region', { name: 'Files it changed' })).toContainText('/package.json')
  await expect(edits.first()).not.toContainText('Exit')
  await edits.first().getByRole('button', { name: 'Edit', exact: true }).click()
  const args = { file_path: '/package.json', old_string: '"name"', new_string: '"label"' }
  await edits.first().getByRole('textbox', { name: 'Arguments as JSON' }).fill(JSON.stringify(args))
  await expect(edits.first().getByText('"label"').last(), 'the change of the edited text').toBeVisible()
  await edits.first().getByRole('button', { name: 'Keep', exact: true }).click()
  await expect(edits).toHaveCount(1)
  await edits.getByRole('button', { name: 'Drop' }).click()
  await expect(page.getByText(/Results:.*none of its changes were kept/)).toBeVisible()
  await page.getByRole('tab', { name: 'Changes' }).click()
  await expect(page.getByText('"label"').first()).toBeVisible()
  await expect(page.getByText('"release"')).toHaveCount(0)
})

test('D. A command that missed a port of this machine names it, reaches it once it is let, and it may be let for good', async ({
  open,
  model,
  dataFolder,
  project,
}) => {
  test.skip(process.platform !== 'linux', 'Only there a command has a loopback of its own.')
  using server = await openForeignServer()
  const { port } = server
  const ask = `(exec 3<>/dev/tcp/127.0.0.1/${port}; echo hello >&3; cat <&3) 2>/dev/null`
  const { page } = await open()
  await beginThread(page, model, reply(`${ask} || { echo "Error: connect ECONNREFUSED 127.0.0.1:${port}"; exit 1; }`))
  await say(page, 'Ask the database')
  await expect(cards(page)).toContainText(`It could not reach localhost:${port}.`)
  await expect(cards(page)).toContainText('not undone with its changes')
  expect(seriousIn({ violations: await violationsAtNight(page) })).toEqual([])
  await cards(page)
    .getByRole('button', { name: `Allow localhost:${port} and run again` })
    .click()
  await expect(cards(page)).toContainText('port hello')
  await expect(cards(page)).toContainText('Exit 0')
  await cards(page).getByRole('button', { name: 'Edit and run again' }).click()
  await cards(page).getByRole('button', { name: 'Let it reach hosts…' }).click()
  await cards(page)
    .getByRole('textbox', { name: /Hosts it may reach/ })
    .fill(`localhost:${port} /run/docker.sock`)
  await expect(cards(page)).toContainText('Whoever has it is root on this machine')
  await cards(page)
    .getByRole('textbox', { name: /Hosts it may reach/ })
    .fill(`localhost:${port}`)
  await cards(page).getByRole('button', { name: 'Always allow this host in this project' }).click()
  await expect(cards(page)).toContainText('All commands of this project may reach them')
  const { sandbox } = JSON.parse(readFileSync(join(dataFolder, 'settings.json'), 'utf8'))
  expect(sandbox).toEqual({ local_ports: { [realpathSync(project.folder)]: [port] } })
})
