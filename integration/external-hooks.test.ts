import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sandboxHere } from '../src/main/adapters/shell/sandbox-here.testkit.ts'
import { openExternalWorld } from './external-world.testkit.ts'

const here = process.platform === 'linux' ? await sandboxHere('hooks and external agents') : null
const isHere = here?.state === 'on' || (here && process.env.CI)

const shell = (command: string) => ({ toolCallId: command, title: 'Shell', kind: 'execute', rawInput: { command } })
const edit = (...paths: string[]) => ({
  ...{ toolCallId: paths.join(), title: 'Edit', kind: 'edit', rawInput: { new_string: 'two' } },
  locations: paths.map((path) => ({ path })),
})
const page = (rawInput: object) => ({ toolCallId: JSON.stringify(rawInput), title: 'Fetch', kind: 'fetch', rawInput })
const hooks = (event: string, matcher: string, command: string, more: object = {}) => ({
  hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command, ...more }] }] },
})

it.runIf(isHere)(
  'a hook of the person refuses a command of an external agent, by the words of Claude Code',
  async () => {
    const world = await openExternalWorld(
      hooks('PreToolUse', 'Bash', `echo 'No pushes.' >&2; exit 2`, { if: 'Bash(git push *)' }),
    )
    const id = await world.ask([{ asks: [shell('git push origin main'), shell('git status')] }])
    expect(world.said(id)).toEqual(['no yes'])
    expect(world.callsOf(id)[0]).toMatchObject({
      outcome: 'rejected',
      text: expect.stringMatching(/^It was not allowed\. Refused by the hook .*: No pushes\.$/),
    })
  },
)

/** Mutation: ask about the first file of a call alone. */
it.runIf(isHere)('is asked about each file of a call, by its real path, with what the agent told', async () => {
  const told = join(mkdtempSync(join(tmpdir(), 'coppice-told-')), 'told')
  const guard = `tee -a ${told} | grep -q 'b.txt"' && { echo 'Not b.' >&2; exit 2; }; echo >> ${told}; exit 0`
  const world = await openExternalWorld(hooks('PreToolUse', 'Edit', guard))
  const [a, b] = [join(world.folder, 'a.txt'), join(world.folder, 'b.txt')]
  const id = await world.ask([{ asks: [edit(a)] }, { asks: [edit(a, b)] }])
  expect(world.said(id)).toEqual(['yes', 'no'])
  const [first] = readFileSync(told, 'utf8').split('\n')
  expect(JSON.parse(first ?? '')).toMatchObject({
    tool_name: 'Edit',
    tool_input: { file_path: a, new_string: 'two' },
  })
})

/** Mutation: let a call go on as it was when a hook would have changed it. */
it.runIf(isHere)('a hook that would change a call has a person look, since only the agent can change it', async () => {
  const updatedInput = JSON.stringify({
    hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'ls' } },
  })
  const world = await openExternalWorld(hooks('PreToolUse', 'Bash', `echo '${updatedInput}'`))
  const id = await world.ask([{ asks: [shell('rm -rf build')] }])
  const [interrupt] = world.thread(id).interrupts
  expect(interrupt?.action_requests).toMatchObject([
    { name: 'agent_command', args: { command: 'rm -rf build' }, rule: expect.stringContaining('only its agent can') },
  ])
})

it.runIf(isHere)('a hook withholds a message before an external agent starts', async () => {
  const world = await openExternalWorld(hooks('UserPromptSubmit', '', `echo 'It holds a key.' >&2; exit 2`))
  const id = await world.ask([{ say: 'I read it.' }])
  expect(world.said(id)).toEqual([])
  expect(world.thread(id).end).toMatchObject({ status: 'stopped', message: expect.stringContaining('It holds a key.') })
})

it.runIf(isHere)('rules about pages hold for pages that an external agent reads itself', async () => {
  const world = await openExternalWorld({
    permissions: { deny: ['WebFetch(domain:bad.example)'], allow: ['fetch_url(good.example)'] },
  })
  const id = await world.ask([
    { asks: [page({ url: 'https://bad.example/x' }), page({ url: 'https://good.example' }), page({ query: 'words' })] },
  ])
  expect(world.said(id)).toEqual(['no yes yes'])
  expect(world.callsOf(id).map(({ name }) => name)).toEqual(['agent_fetch', 'agent_fetch', 'agent_call'])
})
