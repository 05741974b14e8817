import { describe, expect, it } from 'vitest'
import type { HookProgram } from '#core/ports/programs/hook-programs.ts'
import type { HookSource } from '#shared/model/calls/hooks.ts'
import { noClaudeSettings } from './claude-settings.ts'
import { createHookList, namesOfProject } from './hook-list.ts'
import { hooksIn } from './read-hooks.ts'

const written = (command: string) => ({ PreToolUse: [{ hooks: [{ type: 'command', command }] }] })

function hashes() {
  const known = new Set<string>()
  return {
    isTrusted: (hash: string) => known.has(hash),
    trust: async (hash: string) => void known.add(hash),
    revoke: async (hash: string) => void known.delete(hash),
  }
}

/** A list over files that a test can change. `ran` holds what was started on the machine. */
function listOf(given: { own?: object; project?: object; trusted?: boolean }) {
  const state = { own: {}, project: {}, trusted: true, ...given }
  const ran: HookProgram[] = []
  const read = (hooks: object, source: HookSource) => ({
    ...noClaudeSettings,
    ...hooksIn(hooks, { source, file: source }),
  })
  const list = createHookList({
    own: () => ({ given: state.own, file: 'settings.json' }),
    home: () => noClaudeSettings,
    ofProject: async () => [read(state.project, 'project')],
    folderTrusted: () => state.trusted,
    folderNames: namesOfProject('/home/me/app', '/home/me'),
    approved: hashes(),
    switchedOff: hashes(),
    programs: {
      async run(program) {
        ran.push(program)
        return { exitCode: 0, stdout: '', stderr: '', problem: null }
      },
    },
  })
  return { state, list, ran, active: () => list.active().map(({ command }) => command) }
}

describe('a list of hooks', () => {
  it('runs those of the person at once, and one of the project as it was approved', async () => {
    const { state, list, active } = listOf({ own: written('mine'), project: written('theirs') })
    const shown = await list.list()
    expect(shown.hooks.map(({ state: one }) => one)).toEqual(['on', 'waits'])
    expect(active()).toEqual(['mine'])
    await list.setApproved(shown.hooks[1]?.hash ?? '', true)
    expect(active()).toEqual(['mine', 'theirs'])
    expect(list.waiting()).toEqual([])
    state.project = written('theirs; more')
    await list.refresh()
    expect(active()).toEqual(['mine'])
    expect(list.waiting()).toHaveLength(1)
    await list.setApproved((await list.list()).hooks[1]?.hash ?? '', false)
    expect(active()).toEqual(['mine'])
  })

  it('has none of a folder that is not trusted, nor of one that is no longer', async () => {
    const { state, list, active } = listOf({ project: written('theirs') })
    await list.setApproved((await list.list()).hooks[0]?.hash ?? '', true)
    expect(active()).toEqual(['theirs'])
    state.trusted = false
    expect(active()).toEqual([])
    expect((await list.list()).hooks).toEqual([])
  })

  it('switches any of them off and on', async () => {
    const { list, active } = listOf({ own: written('mine') })
    const hash = (await list.list()).hooks[0]?.hash ?? ''
    await list.setOn(hash, false)
    expect([active(), (await list.list()).hooks[0]?.state]).toEqual([[], 'off'])
    await list.setOn(hash, true)
    expect(active()).toEqual(['mine'])
    await expect(list.setOn('other', false)).rejects.toThrow('Look at it again')
  })

  it.each([
    'sh "$CLAUDE_PROJECT_DIR/guard.sh"',
    './guard.sh',
    'cat x|sh ../app/guard.sh',
    'sh /home/me/app/guard.sh',
    'cd "/home/me/app"; sh guard.sh',
    '~/app/guard.sh',
    '"$HOME"/app/guard.sh',
  ])('starts nothing of a folder that is not trusted for a hook of the person: %s', async (command) => {
    const { list, ran } = listOf({ own: written(command), trusted: false })
    await list.refresh()
    const [hook] = list.active()
    if (!hook) throw new Error('The hook is not there.')
    const end = await list.run(hook, {}, new AbortController().signal)
    expect(ran).toEqual([])
    expect(end.stdout).toContain('"permissionDecision":"ask"')
  })

  it('fails for one that refuses when it fails, rather than asking', async () => {
    const command = { type: 'command', command: './guard.sh', onFailure: 'block' }
    const { list } = listOf({ own: { PreToolUse: [{ hooks: [command] }] }, trusted: false })
    await list.refresh()
    const [hook] = list.active()
    if (!hook) throw new Error('The hook is not there.')
    const end = await list.run(hook, {}, new AbortController().signal)
    expect(end).toMatchObject({ stdout: '', problem: expect.stringContaining('not trusted') })
  })

  it('starts a hook of the person that stands elsewhere, in a folder that is not trusted too', async () => {
    const { list, ran } = listOf({ own: written('/home/me/application/guard.sh; ~/bin/guard'), trusted: false })
    await list.refresh()
    const [hook] = list.active()
    if (!hook) throw new Error('The hook is not there.')
    await list.run(hook, {}, new AbortController().signal)
    expect(ran).toHaveLength(1)
  })

  it('gives another definition another hash', async () => {
    const hashOf = (hooks: object, source: HookSource) => hooksIn(hooks, { source, file: 'x' }).hooks[0]?.hash
    const group = (more: object, matcher = 'Bash') => ({
      PreToolUse: [{ matcher, hooks: [{ type: 'command', command: 'a', ...more }] }],
    })
    const all = [
      hashOf(group({}), 'project'),
      hashOf(group({}, 'Edit'), 'project'),
      hashOf(group({ if: 'Bash(git *)' }), 'project'),
      hashOf(group({ args: ['x'] }), 'project'),
      hashOf(group({ timeout: 5 }), 'project'),
      hashOf(group({ async: true }), 'project'),
      hashOf(group({}), 'project_local'),
      hashOf({ PostToolUse: group({}).PreToolUse }, 'project'),
    ]
    expect(new Set(all).size).toBe(all.length)
    expect(hashOf(group({}), 'project')).toBe(all[0])
  })
})

describe('hooksIn', () => {
  it.each([
    [[], 'no object of events'],
    [{ PreToolUse: {} }, 'it is no list'],
    [{ PreToolUse: [{}] }, 'needs a list of hooks'],
    [{ PreToolUse: [{ hooks: [1] }] }, 'a hook is an object'],
    [{ PreToolUse: [{ hooks: [{ type: 'http', url: 'x' }] }] }, '"http" does not run here'],
    [{ PreToolUse: [{ hooks: [{ command: ' ' }] }] }, 'needs a command'],
    [{ PreToolUse: [{ hooks: [{ command: 'x', if: 'no rule(' }] }] }, 'is no rule'],
    [{ PreToolUse: [{ hooks: [{ command: 'x', args: ['\0'] }] }] }, 'NUL'],
    [{ PreToolUse: [{ matcher: '(a+)+', hooks: [] }] }, 'repeats a group'],
    [{ PostToolBatch: [] }, 'asks no hooks at this moment'],
    [
      { PreToolUse: [{ hooks: Array.from({ length: 300 }, (_, at) => ({ command: `x ${at}` })) }] },
      'Only the first 200 of 300',
    ],
    [{ PreToolUse: Array(300).fill({}) }, '250 more mistakes'],
  ])('names what is wrong with %j', (given, words) => {
    expect(hooksIn(given, { source: 'settings', file: 'settings.json' }).problems.join()).toContain(words)
  })

  it('takes a hook that is written twice for one', () => {
    const given = { PreToolUse: [{ hooks: Array(3).fill({ type: 'command', command: 'x' }) }] }
    expect(hooksIn(given, { source: 'settings', file: 'settings.json' })).toMatchObject({
      hooks: [{ command: 'x' }],
      problems: [],
    })
  })
})
