import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModelServer } from '../model-server/model-server.ts'
import { byTask, callingInTurn } from '../model-server/scenario.ts'
import { coppice, type RunEvent } from '../support/coppice.ts'
import { expect, test } from '../support/window.ts'

// These are about calls that ask before they run.
test.use({ commands: 'before' })

const install =
  'mkdir -p node_modules/.bin; echo half > node_modules/lock; sleep 1; cp lock node_modules/; printf "#!/bin/sh\\necho ran" > node_modules/.bin/tool; chmod +x node_modules/.bin/tool'
const look = { name: 'execute', input: { command: 'cat node_modules/lock; node_modules/.bin/tool' } }

const textOf = (event: RunEvent | undefined): string =>
  (event?.result as { content: { text: string }[] } | undefined)?.content[0]?.text ?? ''

test('A setup that is killed leaves nothing; the next run sets up again, and a resume finds it', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'coppice-setup-'))
  const [project, data] = [join(scratch, 'project'), join(scratch, 'data')]
  mkdirSync(project)
  writeFileSync(join(project, '.gitignore'), 'node_modules/\n')
  writeFileSync(join(project, 'lock'), 'one\n')
  writeFileSync(join(project, 'conductor.json'), JSON.stringify({ scripts: { setup: install } }))
  await using server = await startModelServer(callingInTurn([look, look]))
  const access = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const run = ['run', project, '--task', 'look', '--json', '--mode', 'ask', '--data-dir', data, '--setup', install]
  const killed = await coppice([...run, '--approve', 'all'], access, {
    during: (child, stdout) => void (stdout.includes('"kind":"running"') && child.kill('SIGKILL')),
  })
  expect(killed.code).toBeNull()
  const first = await coppice([...run, '--approve', 'ask'], access)
  expect(first.code, first.stderr).toBe(3)
  const raised = first.events.find(({ type }) => type === 'interrupt.raised')
  expect(JSON.stringify(raised)).toContain('"environment":"will be set up before the next command"')
  const resume = async (callId: string, ...more: readonly string[]) => {
    writeFileSync(join(scratch, 'decisions'), JSON.stringify([{ callId, type: 'approve' }]))
    const decisions = ['--decisions', join(scratch, 'decisions')]
    const { events } = await coppice(
      ['resume', String(raised?.threadId), ...decisions, '--json', '--data-dir', data, ...more],
      access,
    )
    return { events, text: textOf(events.find(({ type }) => type === 'tool.finished')) }
  }
  const set = await resume('c0', '--setup', install)
  expect(set.text).toMatch(/^one\nran\n/)
  expect(
    set.events.some(({ type, setup }) => type === 'setup.changed' && JSON.stringify(setup).includes('"ready"')),
  ).toBe(true)
  expect((await resume('c1')).text).toMatch(/^one\nran\n/)
  expect(existsSync(join(project, 'node_modules'))).toBe(false)
  const [stored = ''] = readdirSync(join(data, 'projects'))
  const layers = readdirSync(join(data, 'projects', stored, 'environments')).filter((name) => !name.startsWith('.'))
  expect(layers).toHaveLength(1)
  rmSync(scratch, { recursive: true })
})

test('The window proposes a setup, runs it when it is accepted, and says what a command will find', async ({
  open,
  project,
}) => {
  project.mayChange()
  writeFileSync(join(project.folder, '.gitignore'), 'node_modules/\n')
  writeFileSync(join(project.folder, 'lock'), 'one\n')
  writeFileSync(join(project.folder, 'conductor.json'), JSON.stringify({ scripts: { setup: install } }))
  const { page } = await open({ scenario: byTask({ look: [{ calls: [look] }, { text: 'It ran.' }] }) })
  const card = page.getByRole('region', { name: 'Set up this project?' })
  await expect(card).toContainText('from /conductor.json, no network')
  await card.getByRole('button', { name: 'Set up', exact: true }).click()
  await expect(card).toBeHidden()
  await page.getByRole('textbox', { name: 'Message' }).fill('look')
  await page.keyboard.press('Enter')
  const approval = page.getByRole('group', { name: 'Approval: execute by main' })
  await expect(approval).toContainText('Environment: ready for new branches (set up')
  await approval.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByText('It ran.')).toBeVisible()
})
