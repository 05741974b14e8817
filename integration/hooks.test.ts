import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import { applyToDisk } from '#host/changes/apply.ts'
import { type Call, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { sandboxHere } from '../src/main/adapters/shell/sandbox-here.testkit.ts'
import { openWorld, temporaryFolder } from './world.testkit.ts'

const here = process.platform === 'linux' ? await sandboxHere('hooks of a project in the sandbox') : null

const calling =
  (...calls: readonly Call[]): Scenario =>
  (request) =>
    turnOf(request) === 0 ? { calls } : { text: 'Done.' }
const write: Call = { name: 'write_file', input: { file_path: '/a.txt', content: 'x\n' } }
const hook = (command: string, more: object = {}) => [{ hooks: [{ type: 'command', command, ...more }] }]
const settingsOf = (hooks: object, more: object = {}) => JSON.stringify({ hooks, ...more })

/** A home with settings of Claude Code. */
function homeWith(text: string): string {
  const home = temporaryFolder()
  mkdirSync(join(home, '.claude'))
  writeFileSync(join(home, '.claude/settings.json'), text)
  return home
}

type World = Awaited<ReturnType<typeof openWorld>>

const resultsIn = ({ thread }: World, id: Parameters<World['thread']>[0]) =>
  [...thread(id).calls.values()].map(({ state }) => JSON.stringify(state.kind === 'finished' ? state.result : null))
const notesIn = ({ project }: World) =>
  project.services.log.entries().flatMap((entry) => (entry.type === 'stages.asked' ? entry.notes : []))

describe('hooks of the person', () => {
  it('run on the machine, from both of their files', async () => {
    const told = join(temporaryFolder(), 'told')
    const home = homeWith(
      settingsOf({ PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: `cat > ${told}` }] }] }),
    )
    const world = await openWorld(calling(write), {
      trusted: true,
      environment: { HOME: home, PATH: process.env.PATH ?? '' },
      settings: { hooks: { PostToolUse: hook('echo "Format it." >&2; exit 2') } },
    })
    const id = await world.run('main')
    expect(existsSync(told)).toBe(true)
    expect(resultsIn(world, id).join()).toContain('Format it.')
    expect(await world.fileOf(id, '/a.txt')).toBe('x\n')
  })

  it('that would run what stands in a folder guard by asking, until that is trusted', async () => {
    const ran = join(temporaryFolder(), 'ran')
    const files = { 'guard.sh': `touch ${ran}\n` }
    const settings = { hooks: { PreToolUse: hook('sh "$CLAUDE_PROJECT_DIR"/guard.sh') } }
    const world = await openWorld(calling(write), { files, settings, environment: { PATH: process.env.PATH ?? '' } })
    const id = await world.run('main', 'auto')
    expect(existsSync(ran)).toBe(false)
    expect(JSON.stringify(notesIn(world))).toContain('a folder that you have not trusted')
    expect(world.thread(id).interrupts).toHaveLength(1)
    world.host.projects.setTrusted(world.project.info().id, true)
    await world.run('main', 'auto')
    expect(existsSync(ran)).toBe(true)
  })

  it('refuse an apply with their reason', async () => {
    const world = await openWorld(calling(write), {
      trusted: true,
      environment: { PATH: process.env.PATH ?? '' },
      settings: { hooks: { BeforeApply: hook('grep -q a.txt && echo "Freeze." >&2 && exit 2') } },
    })
    const id = await world.run('main')
    const applied = applyToDisk(world.project, world.thread(id).branchId, null)
    await expect(applied).rejects.toThrow('Freeze.')
    expect(existsSync(join(world.folder, 'a.txt'))).toBe(false)
  })

  it('that are wrong are named, and the others run', async () => {
    const home = homeWith(
      settingsOf(
        {
          PreToolUse: [
            {
              hooks: [
                { type: 'prompt', prompt: 'Is it good?' },
                { type: 'command', command: 'exit 0' },
              ],
            },
          ],
          Odd: [],
        },
        { permissions: { allow: ['Bash'], deny: ['Read(./secret)'], defaultMode: 'bypassPermissions' } },
      ),
    )
    const world = await openWorld(calling({ name: 'read_file', input: { file_path: '/secret' } }), {
      files: { secret: 'x' },
      trusted: true,
      environment: { HOME: home, PATH: process.env.PATH ?? '' },
    })
    const { hooks, problems } = await world.project.hooks.list()
    expect(hooks).toMatchObject([{ command: 'exit 0', source: 'home', where: 'machine', state: 'on' }])
    const id = await world.run('main', 'auto')
    expect(resultsIn(world, id).join()).toContain('Denied by the rule Read(./secret)')
    const left = world.project.extensions.found().settings.problems.map(({ message }) => message)
    expect(left.join()).toContain('Not taken: its rule that would allow something; defaultMode.')
    expect(problems.join('\n')).toMatch(/type "prompt" does not run here[\s\S]*hooks\.Odd: /)
  })
})

describe.runIf(here?.state === 'on' || (here && process.env.CI))('hooks of a project', () => {
  const guard = (body: string) => ({
    '.claude/settings.json': settingsOf({ PreToolUse: hook('sh "$CLAUDE_PROJECT_DIR"/guard.sh') }),
    'guard.sh': body,
  })
  const open = (body: string, trusted = true) =>
    openWorld(calling(write), {
      files: guard(body),
      trusted,
      openSandbox: () => openSandbox([]),
      environment: { HOME: temporaryFolder(), PATH: process.env.PATH ?? '' },
    })

  it('do not run before a person approved each of them, and again when one changed', async () => {
    const world = await open('echo "Not here." >&2; exit 2\n')
    const { hooks } = world.project
    await world.run('main')
    expect(notesIn(world)).toMatchObject([{ source: 'project', problem: expect.stringContaining('needs your word') }])
    const [found] = (await hooks.list()).hooks
    expect(found).toMatchObject({ state: 'waits', where: 'sandbox' })
    await hooks.setApproved(found?.hash ?? '', true)
    const id = await world.run('main')
    expect(resultsIn(world, id).join()).toContain('Refused by the hook')
    expect(await world.fileOf(id, '/a.txt')).toBe('')
    writeFileSync(join(world.folder, '.claude/settings.json'), settingsOf({ PreToolUse: hook('exit 0') }))
    expect((await hooks.list()).hooks).toMatchObject([{ command: 'exit 0', state: 'waits' }])
    await expect(hooks.setApproved(found?.hash ?? '', true)).rejects.toThrow('not defined like this any more')
  })

  it('run in the sandbox over the files of the branch, and what they change is dropped', async () => {
    const outside = temporaryFolder()
    const world = await open(
      `cat > told; touch ${outside}/touched; curl -s http://127.0.0.1:9/; cat a.txt >&2; pwd >&2; exit 2\n`,
    )
    writeFileSync(
      join(world.folder, '.claude/settings.json'),
      settingsOf({ PostToolUse: hook('sh "$CLAUDE_PROJECT_DIR"/guard.sh') }),
    )
    const [found] = (await world.project.hooks.list()).hooks
    await world.project.hooks.setApproved(found?.hash ?? '', true)
    const id = await world.run('main')
    expect(resultsIn(world, id).join()).toContain(`x\\n${world.folder}`)
    expect(existsSync(join(outside, 'touched'))).toBe(false)
    expect(existsSync(join(world.folder, 'told'))).toBe(false)
    expect(await world.fileOf(id, '/told')).toBe('')
  })

  it('get real paths, and their answers are understood', async () => {
    const answer =
      '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"file_path":"\'"$PWD"\'/b.txt","content":"y"}}}'
    const world = await open(`grep -q "\\"file_path\\":\\"$PWD/a.txt\\"" || exit 1\necho '${answer}'\n`)
    const [found] = (await world.project.hooks.list()).hooks
    await world.project.hooks.setApproved(found?.hash ?? '', true)
    const id = await world.run('main', 'auto')
    // What a project changes, a person sees.
    const [interrupt] = world.thread(id).interrupts
    expect(interrupt?.action_requests[0]).toMatchObject({
      args: { file_path: '/b.txt', content: 'y' },
      changed: { given: { file_path: '/a.txt', content: 'x\n' } },
    })
  })

  it('that hang or print without end are named, and the call goes on', async () => {
    const world = await open('yes\n')
    const [found] = (await world.project.hooks.list()).hooks
    await world.project.hooks.setApproved(found?.hash ?? '', true)
    const id = await world.run('main')
    expect(JSON.stringify(notesIn(world))).toContain('It printed more than 1 MB')
    expect(await world.fileOf(id, '/a.txt')).toBe('x\n')
  })

  it('are not read before the folder is trusted', async () => {
    const world = await open('exit 2\n', false)
    expect((await world.project.hooks.list()).hooks).toEqual([])
    await world.run('main')
    expect(notesIn(world)).toEqual([])
  })
})
