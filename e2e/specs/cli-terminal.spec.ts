import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startModelServer } from '../model-server/model-server.ts'
import type { Scenario } from '../model-server/scenario.ts'
import { root } from '../support/coppice.ts'
import { startInTerminal } from '../support/terminal.ts'

const fixture = join(root, 'e2e/fixtures/ledger')
const folder = () => mkdtempSync(join(tmpdir(), 'coppice-terminal-'))
const key = (url: string) => ({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url })
const execute = (id: string, command: string) => ({ calls: [{ name: 'execute', id, input: { command } }] })

test('a person approves, edits, rejects, allows and answers in the terminal', async () => {
  test.skip(process.platform === 'win32', 'The editor of this test is a shell script.')
  const question = { name: 'ask_user', id: 'q', input: { question: 'Which one?', options: ['This', 'That'] } }
  const scenario: Scenario = (_, { count }) =>
    [
      execute('c1', 'echo one'),
      execute('c2', 'echo two'),
      execute('c3', 'echo three'),
      execute('c4', 'echo four'),
      { calls: [question] },
    ][count] ?? { text: 'All **done** now.' }
  await using server = await startModelServer(scenario)
  const data = folder()
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ approvals: { commands: 'before' } }))
  const editor = join(data, 'editor.sh')
  writeFileSync(editor, 'printf "echo edited" > "$1"\n')
  const args = ['run', fixture, '--task', 'Try it', '--data-dir', data]
  using terminal = startInTerminal(args, { ...key(server.url), EDITOR: `sh ${editor}`, NO_COLOR: '1' })
  // Typed before anything is asked: it must answer nothing.
  terminal.press('y')
  await terminal.shows('$ echo one')
  await terminal.shows(/y approve · e edit .* help$/)
  terminal.press('?')
  await terminal.shows('run it exactly as it stands here')
  await terminal.shows(/Ctrl\+C stops.*y approve[^\n]*$/s)
  terminal.press('y')
  await terminal.shows('Ran echo one  exit 0')
  await terminal.shows(/\$ echo two.*y approve[^\n]*$/s)
  terminal.press('e')
  await terminal.shows(/\$ echo edited.*y approve[^\n]*$/s)
  terminal.press('y')
  await terminal.shows('Approved as edited.')
  await terminal.shows(/\$ echo three.*y approve[^\n]*$/s)
  terminal.press('n')
  await terminal.shows('Reason for the agent')
  terminal.press('not this one\r')
  await terminal.shows('Rejected: not this one')
  await terminal.shows(/\$ echo four.*y approve[^\n]*$/s)
  terminal.press('a')
  await terminal.shows(/1–2 choose · n go back$/)
  terminal.press('1')
  await terminal.shows(/execute\(echo four\)\n.*y allow and approve · n go back$/s)
  terminal.press('y')
  await terminal.shows('Written: execute(echo four)')
  await terminal.shows(/1 This\n.*2 That\n+.*1–2 choose[^\n]*$/s)
  terminal.press('2')
  await terminal.shows('Answered: That')
  expect(await terminal.exit).toBe(0)
  await terminal.shows('coppice')
  expect(terminal.text()).toContain('main  All **done** now.')
  expect(terminal.text().match(/All \*\*done\*\* now\./g)).toHaveLength(1)
  // Without colours, nothing but the cursor is moved.
  expect(terminal.raw()).not.toContain('\u001b[3')
  const asked = JSON.stringify(server.requests.at(-1)?.messages)
  for (const text of ['not this one', 'edited', 'That']) expect(asked).toContain(text)
  expect(readFileSync(join(data, 'settings.json'), 'utf8')).toContain('execute(echo four)')
})

test('Ctrl+C at a question stops with 130 and says how to go on, and resume asks again', async () => {
  await using server = await startModelServer((_, { count }) =>
    count === 0 ? execute('c1', 'echo "\u001b[2Jone"') : { text: 'Went on.' },
  )
  const data = folder()
  const at = ['--data-dir', data]
  using first = startInTerminal(['run', fixture, '--task', 'Try it', ...at], key(server.url), { columns: 40, rows: 20 })
  await first.shows(/y keep/)
  // Nothing of the command is obeyed, and every row fits.
  expect(first.text()).toContain('\\u{001b}[2Jone')
  first.press('\u0003')
  expect(await first.exit).toBe(130)
  await first.shows(/Stopped.*coppice resume \w{8}/s)
  using second = startInTerminal(['resume', 'last', ...at], key(server.url))
  await second.shows(/y keep[^\n]*$/)
  second.resize(60, 20)
  second.press('y')
  expect(await second.exit).toBe(0)
  await second.shows('Went on.')
})
