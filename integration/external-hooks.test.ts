import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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

const refuses = (text: string) => `grep -q '${text}' && { echo 'Not that.' >&2; exit 2; }; exit 0`

describe.runIf(isHere)('a hook that refuses is not evaded', () => {
  /** Mutation: ask about the paths of the project alone. */
  it('by a file outside of the project, however its path is written', async () => {
    const world = await openExternalWorld(hooks('PreToolUse', 'Edit|Read', refuses('/etc/hosts"')))
    const other = join(world.folder, 'a.txt')
    const id = await world.ask([
      { asks: [edit('/etc/hosts'), edit(other, '/usr/../etc//hosts'), edit('/etc/hostname')] },
      { asks: [{ ...edit('/etc/hosts'), toolCallId: 'read', kind: 'read' }] },
    ])
    expect(world.said(id)).toEqual(['no no yes', 'no'])
  })

  /** Mutation: join the words of a command without quotes. */
  it('by a command in words, which a shell in it takes apart', async () => {
    const world = await openExternalWorld({
      ...hooks('PreToolUse', 'Bash', `echo 'No pushes.' >&2; exit 2`, { if: 'Bash(git push *)' }),
      permissions: { deny: ['Bash(git fetch *)'] },
    })
    const words = (...command: string[]) => ({ ...shell(command.join()), rawInput: { command } })
    const id = await world.ask([
      {
        asks: [
          words('bash', '-lc', 'git push origin main'),
          words('git', 'push', 'origin'),
          words('bash', '-lc', 'git fetch origin'),
          words('echo', 'git push x'),
        ],
      },
    ])
    expect(world.said(id)).toEqual(['no no no yes'])
  })

  /** Mutation: leave out the paths that the input names. */
  it('by a file that only the input names', async () => {
    const world = await openExternalWorld({
      ...hooks('PreToolUse', 'Edit', refuses('b.txt"')),
      permissions: { deny: ['Edit(c.txt)'] },
    })
    const [a, b, c] = ['a.txt', 'b.txt', 'c.txt'].map((name) => join(world.folder, name))
    const asks = (more: object) => ({ ...edit(a ?? ''), toolCallId: JSON.stringify(more), rawInput: more })
    const id = await world.ask([
      { asks: [asks({ file_path: b }), asks({ file_path: c }), asks({ path: 'b.txt' }), asks({ file_path: a })] },
    ])
    expect(world.said(id)).toEqual(['no no no yes'])
  })

  /** Mutation: tell two requests of one id apart by what rules judge alone. */
  it('by asking for something else under an id that was allowed', async () => {
    const world = await openExternalWorld(hooks('PreToolUse', 'Edit', refuses('poison')))
    const asks = (text: string) => ({ ...edit(join(world.folder, 'a.txt')), rawInput: { new_string: text } })
    const id = await world.ask([{ asks: [asks('fine'), asks('poison'), asks('fine')] }])
    expect(world.said(id)).toEqual(['yes no yes'])
  })

  /** Mutation: tell hooks the path as it is written alone. */
  it('by a link on its branch', async () => {
    const world = await openExternalWorld(hooks('PreToolUse', 'Edit', refuses('/b.txt"')))
    const id = await world.ask([
      { do: 'symlink', path: 'fine.txt', to: 'b.txt' },
      { asks: [edit(join(world.folder, 'fine.txt'))] },
    ])
    expect(world.said(id).at(-1)).toBe('no')
  })

  /** Mutation: say nothing about what was left out of the input. */
  it('by more text than the journal keeps: then a person looks', async () => {
    const world = await openExternalWorld(hooks('PreToolUse', 'Edit', refuses('poison')))
    const long = { ...edit(join(world.folder, 'a.txt')), rawInput: { old: 'x'.repeat(200_000), new_string: 'poison' } }
    const id = await world.ask([{ asks: [long] }])
    expect(world.thread(id).interrupts[0]?.action_requests).toMatchObject([
      { rule: expect.stringContaining('more than hooks were told') },
    ])
  })
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
