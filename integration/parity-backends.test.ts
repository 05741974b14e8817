import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { emptyTree, leafChanges } from '#overlay'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { type Call, callingInTurn, type Scenario } from '../e2e/model-server/scenario.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { noSandbox, type Sandbox } from '../src/main/adapters/shell/sandbox.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'
import { openWorld, temporaryFolder, type WorldOptions } from './world.testkit.ts'

const here = await openSandbox([])
const { state, reason } = here.state
await here[Symbol.asyncDispose]()
const realSandbox = state === 'on'
if (!realSandbox) console.warn(`SKIPPED: routes in the sandbox, which is ${state} here: ${reason}`)

const write = (path: string, content: string): Call => ({ name: 'write_file', input: { file_path: path, content } })
const read = (path: string): Call => ({ name: 'read_file', input: { file_path: path } })
const edit = (path: string, from: string, to: string): Call => ({
  name: 'edit_file',
  input: { file_path: path, old_string: from, new_string: to },
})
const remove = (path: string): Call => ({ name: 'delete', input: { path } })
const move = (from: string, to: string): Call => ({ name: 'move', input: { from, to } })
const ls = (path: string): Call => ({ name: 'ls', input: { path } })
const glob = (pattern: string, path = '/'): Call => ({ name: 'glob', input: { pattern, path } })
const grep = (pattern: string, path: string): Call => ({ name: 'grep', input: { pattern, path } })
const execute = (command: string): Call => ({ name: 'execute', input: { command } })
const python = (code: string): Call => ({ name: 'run_python_code', input: { code } })
const js = (code: string): Call => ({ name: 'run_js_code', input: { code } })

/** A sandbox that confines nothing, but counts as one, so that commands run without a person. */
async function pretended(): Promise<Sandbox> {
  return { ...noSandbox('pretended'), state: { state: 'on', reason: 'pretended' } }
}

/** A model that makes the calls of each task, one per turn. */
function scenario(tasks: Readonly<Record<string, readonly Call[]>>): Scenario {
  return (request, seen) => {
    const text = JSON.stringify(request.messages[0])
    const [, calls = []] = Object.entries(tasks).find(([name]) => text.includes(`task ${name}`)) ?? []
    return callingInTurn(calls)(request, seen)
  }
}

type World = Awaited<ReturnType<typeof openWorld>>

const resultsOf = (world: World, id: ThreadId): readonly string[] =>
  [...world.thread(id).calls.values()].map((call) =>
    (resultOf(call)?.content ?? []).map((part) => ('text' in part ? part.text : '')).join(''),
  )

interface RunOptions extends Omit<WorldOptions, 'settings'> {
  readonly routes: object
  readonly settings?: object
}

async function run(calls: readonly Call[], { routes, settings = {}, ...options }: RunOptions) {
  const world = await openWorld(scenario({ one: calls }), {
    openSandbox: pretended,
    // Without trust, an agent asks before it changes what all projects read.
    trusted: true,
    ...options,
    settings: { interrupt_on: { execute: false }, ...settings, routes },
  })
  const id = await world.run('task one', 'auto')
  const results = () => resultsOf(world, id)
  /** How many paths the branch changed. */
  const changes = () => {
    const { base, log } = world.project.services
    return leafChanges(base, emptyTree, log.trees.heads.get(world.thread(id).branchId) ?? emptyTree)
  }
  return { ...world, id, results, changes }
}

/** A real folder outside of the project. */
function realFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const memory = { kind: 'memory' }
const ofProject = { kind: 'store', scope: 'project' }
const ofUser = { kind: 'store', scope: 'user' }

describe.each([
  ['8: a memory route', memory],
  ['8: b store of the project', ofProject],
  ['8: c store of the user', ofUser],
])('%s', (_, route) => {
  it('holds files for every file tool, and none of them enters the changes', async () => {
    const { results, changes } = await run(
      [
        write('/notes/a/one.md', 'alpha\n'),
        edit('/notes/a/one.md', 'alpha', 'beta'),
        move('/notes/a/one.md', '/notes/two.md'),
        read('/notes/two.md'),
        ls('/'),
        grep('beta', '/'),
        grep('beta', '/notes'),
        glob('**/*.md'),
        glob('/notes/*.md'),
        move('/notes/two.md', '/three.md'),
        move('/three.md', '/notes/three.md'),
        remove('/notes/three.md'),
        ls('/notes'),
      ],
      { routes: { '/notes/': route } },
    )
    expect(results()).toEqual([
      expect.stringContaining('Created /notes/a/one.md'),
      expect.any(String),
      expect.any(String),
      expect.stringContaining('beta'),
      expect.stringMatching(/^notes\/\t/m),
      expect.stringMatching(/^No /),
      expect.stringContaining('/notes/two.md'),
      expect.stringMatching(/^No /),
      '/notes/two.md',
      expect.any(String),
      expect.any(String),
      expect.any(String),
      '/notes is empty.',
    ])
    expect(await changes(), 'a move out and in again leaves nothing on the branch').toEqual([])
  })

  it('is there for commands, Python and JavaScript, which can write to it', async () => {
    const { results } = await run(
      [
        write('/notes/a.txt', 'a'),
        execute('cat "$COPPICE_PLACE_NOTES/a.txt"; printf shell > "$COPPICE_PLACE_NOTES/shell.txt"'),
        python("from pathlib import Path\nPath('/notes/python.txt').write_text(Path('/notes/shell.txt').read_text())"),
        js("await fs.write('/notes/js.txt', await fs.read('/notes/python.txt')); return await fs.list('/notes')"),
        read('/notes/js.txt'),
      ],
      { routes: { '/notes/': route } },
    )
    expect(results()[1]).toMatch(/^a\n[\s\S]*wrote \/notes\/shell\.txt/)
    expect(results()[3]).toContain('["a.txt","js.txt","python.txt","shell.txt"]')
    expect(results()[4]).toContain('shell')
  })

  it.runIf(realSandbox)('is there in the sandbox, also where the machine has its path', async () => {
    const routes = { '/notes/': route, '/tmp/': route, '/usr/kept/': route, '/deep/notes/': route }
    const { results } = await run(
      [
        execute(`echo a > /notes/a; echo b > "$COPPICE_PLACE_TMP/b"; echo c > "$COPPICE_PLACE_USR_KEPT/c"
          echo d > /deep/notes/d; echo own > /tmp/own; cat /tmp/own`),
        glob('/notes/*'),
        glob('/tmp/*'),
        glob('/usr/kept/*'),
        glob('/deep/notes/*'),
      ],
      { routes, openSandbox: () => openSandbox([]) },
    )
    expect(results()[0]).toMatch(/^own\n/)
    expect(results().slice(1)).toEqual(['/notes/a', '/tmp/b', '/usr/kept/c', '/deep/notes/d'])
  })

  it('asks about what code would do there when a setting is about the effect', async () => {
    const { thread, id } = await run([write('/notes/a', 'x'), js("await fs.delete('/notes/a')")], {
      routes: { '/notes/': route },
      settings: { interrupt_on: { delete: true } },
    })
    expect(thread(id).interrupts[0]?.action_requests[0]?.rule).toBe(
      'setting interrupt_on.delete: it would change /notes/a',
    )
  })

  it('follows the rules about files', async () => {
    const { results } = await run(
      [
        write('/notes/shut.md', 'x'),
        js("await fs.write('/notes/shut.md', 'x')"),
        js("await fs.write('/notes/b', 'x')"),
      ],
      { routes: { '/notes/': route }, settings: { permissions: { deny: ['Write(notes/shut.md)'] } } },
    )
    expect(results()).toEqual([
      expect.stringContaining('Denied by the rule'),
      expect.stringContaining('protected by a rule'),
      expect.stringContaining('"ok":true'),
    ])
  })
})

describe('8: how long a route keeps its files', () => {
  it.each([
    ['memory for one thread', memory, false],
    ['the store of the project for the next thread', ofProject, true],
    ['the store of the user for the next thread', ofUser, true],
  ])('%s', async (_, route, stays) => {
    const world = await openWorld(scenario({ one: [write('/notes/a.md', 'kept')], two: [read('/notes/a.md')] }), {
      trusted: true,
      settings: { routes: { '/notes/': route } },
    })
    await world.run('task one')
    const later = await world.run('task two')
    expect(resultsOf(world, later)[0]?.includes('kept')).toBe(stays)
  })

  it('keeps the store of the user for other projects and processes, readable by the person alone', async () => {
    const calls = { one: [write('/notes/a.md', 'kept')], two: [read('/notes/a.md')] }
    const world = await openWorld(scenario(calls), { trusted: true, settings: { routes: { '/notes/': ofUser } } })
    await world.run('task one')
    const other = await world.host.projects.open(temporaryFolder())
    const content = [{ type: 'text', text: 'task two' }] as const
    const id = other.runtime.begin({ title: 't', model: 'scripted', approvalMode: 'auto' }, () => content)
    await other.runtime.whenIdle(id)
    const [call] = readThread(other.services.log, id)?.calls.values() ?? []
    expect(JSON.stringify(resultOf(call))).toContain('kept')
    const files = readdirSync(world.data).filter((name) => name.startsWith('shared.db'))
    expect(files.map((name) => statSync(join(world.data, name)).mode & 0o777)).toEqual(files.map(() => 0o600))
  })

  it('shares memory with subagents', async () => {
    const spawn: Call = { name: 'task', input: { description: 'task two' } }
    const world = await openWorld(
      scenario({ two: [write('/notes/sub.md', 'from below')], one: [spawn, read('/notes/sub.md')] }),
      { settings: { routes: { '/notes/': memory } } },
    )
    const id = await world.run('task one')
    expect(resultsOf(world, id)[1]).toContain('from below')
  })
})

describe('8: d real folder, read-only', () => {
  it('is read, listed and searched, and never written', async () => {
    const folder = realFolder({ 'guide/a.md': 'needle', '.env': 'SECRET=1' })
    const { results, thread, id, changes } = await run(
      [
        ls('/docs'),
        read('/docs/guide/a.md'),
        grep('needle', '/docs'),
        grep('needle', '/'),
        glob('**/*.md', '/docs'),
        write('/docs/b.md', 'x'),
        edit('/docs/guide/a.md', 'needle', 'x'),
        remove('/docs/guide'),
        move('/docs/guide/a.md', '/a.md'),
        js("await fs.write('/docs/c.md', 'x')"),
        js("return await fs.read('/docs/guide/a.md')"),
        execute('env | grep -c COPPICE_PLACE || true'),
      ],
      { routes: { '/docs/': { kind: 'folder', path: folder } } },
    )
    expect(results().slice(0, 5)).toEqual([
      expect.stringMatching(/^\.env\t[\s\S]*^guide\/\t/m),
      expect.stringContaining('needle'),
      expect.stringContaining('/docs/guide/a.md'),
      expect.stringMatching(/^No /),
      '/docs/guide/a.md',
    ])
    for (const result of results().slice(5, 10)) expect(result).toContain('can only be read')
    expect(results()[10]).toContain('needle')
    expect(results()[11]).toMatch(/^0/)
    expect(readdirSync(folder).sort()).toEqual(['.env', 'guide'])
    expect([thread(id).interrupts, await changes()]).toEqual([[], []])
  })

  it('copies out of it by reading and writing, and asks about its secrets', async () => {
    const folder = realFolder({ '.env': 'SECRET=1' })
    const { results, thread, id } = await run([grep('SECRET', '/docs'), read('/docs/.env')], {
      routes: { '/docs/': { kind: 'folder', path: folder } },
    })
    expect(results()[0]).not.toContain('SECRET=1')
    expect(thread(id).interrupts[0]?.action_requests[0]?.rule).toBe('default: /docs/.env may hold secrets')
  })
})

describe('8: e real folder with approved writes', () => {
  async function waiting(call: Call, files: Readonly<Record<string, string>> = {}, options: Partial<RunOptions> = {}) {
    const folder = realFolder(files)
    const world = await run([call, ls('/docs')], {
      routes: { '/docs/': { kind: 'folder', path: folder, write: 'ask' } },
      ...options,
    })
    const decide = async (type: 'approve' | 'reject') => {
      world.decide(world.id, [{ type, callId: 'c0' as ToolCallId }])
      await world.project.runtime.whenIdle(world.id)
    }
    return { ...world, real: folder, decide }
  }

  it.each<[string, Call, (real: string) => unknown]>([
    ['a write', write('/docs/new/b.md', 'b'), (real) => readFileSync(join(real, 'new/b.md'), 'utf8')],
    ['an edit', edit('/docs/a.md', 'one', 'b'), (real) => readFileSync(join(real, 'a.md'), 'utf8')],
    ['a deletion', remove('/docs/a.md'), (real) => (existsSync(join(real, 'a.md')) ? '' : 'b')],
    ['a move', move('/docs/a.md', '/docs/b.md'), (real) => (existsSync(join(real, 'b.md')) ? 'b' : '')],
    ['a move out of it', move('/docs/a.md', '/b.md'), (real) => (existsSync(join(real, 'a.md')) ? '' : 'b')],
  ])('asks about %s, names the real path, and does it only when it is approved', async (about, call, done) => {
    const world = await waiting(call, { 'a.md': 'one' }, { settings: { permissions: { allow: ['Write', 'Edit'] } } })
    const before = readdirSync(world.real)
    const [request] = world.thread(world.id).interrupts[0]?.action_requests ?? []
    expect(request?.rule).toContain(`writes to the real folder of the user: ${world.real}/`)
    expect(request?.allowable).toBe(false)
    expect([readdirSync(world.real), readFileSync(join(world.real, 'a.md'), 'utf8')]).toEqual([before, 'one'])
    const preview = await world.project.runtime.preview(
      world.id,
      'c0' as ToolCallId,
      undefined,
      new AbortController().signal,
    )
    expect(preview?.output.ok).toBe(true)
    expect(preview?.stores.length).toBeGreaterThan(0)
    expect(readdirSync(world.real), 'a preview writes nothing').toEqual(before)
    await world.decide('approve')
    expect(done(world.real)).toBe('b')
    const started = [...world.project.services.log.entries(['tool.started'])][0]
    expect(started, 'a crash in the middle is asked about').toMatchObject({ outside: true })
    expect(await world.changes()).toHaveLength(about === 'a move out of it' ? 1 : 0)
    expect(readdirSync(world.real).filter((name) => name.includes('coppice'))).toEqual([])
  })

  it('does nothing when it is rejected', async () => {
    const { real, decide } = await waiting(write('/docs/b.md', 'b'))
    await decide('reject')
    expect(readdirSync(real)).toEqual([])
  })

  it.each<[string, Call]>([
    ['JavaScript', js("await fs.write('/docs/b.md', 'x')")],
    ['JavaScript that deletes', js("await fs.delete('/docs/a.md')")],
  ])('refuses %s, also where such calls ask: it fails before anybody is asked', async (_, call) => {
    const { real, results, thread, id } = await waiting(
      call,
      { 'a.md': 'one' },
      { settings: { interrupt_on: { [call.name]: true } } },
    )
    expect(thread(id).interrupts).toEqual([])
    expect(results()[0]).toContain('Only a file tool that names it can change it')
    expect(readdirSync(real)).toEqual(['a.md'])
  })

  it('fails when the file changed on disk after the approval was asked and the agent had read it', async () => {
    const folder = realFolder({ 'a.md': 'one' })
    const world = await run([read('/docs/a.md'), edit('/docs/a.md', 'one', 'two')], {
      routes: { '/docs/': { kind: 'folder', path: folder, write: 'ask' } },
    })
    writeFileSync(join(folder, 'a.md'), 'one by a person')
    world.decide(world.id, [{ type: 'approve', callId: 'c1' as ToolCallId }])
    await world.project.runtime.whenIdle(world.id)
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('one by a person')
    expect(world.results()[1]).toContain('changed')
  })

  it('is read-only when it holds the project', async () => {
    const { host, data, project } = await run([], { routes: {} })
    const outer = join(project.rootFolder ?? '', '..')
    writeFileSync(
      join(data, 'settings.json'),
      JSON.stringify({ routes: { '/up/': { kind: 'folder', path: outer, write: 'ask' } } }),
    )
    const other = await host.projects.open(temporaryFolder())
    expect(other.routeNotes).toEqual([expect.stringContaining('The route /up/ is read-only here')])
  })
})

describe('8: f the branch inside another route', () => {
  it('is the project again, and longer prefixes win', async () => {
    const folder = realFolder({ 'a.md': 'real', 'src/b.md': 'hidden' })
    const { results, changes } = await run(
      [
        write('/work/src/c.md', 'of the project'),
        write('/work/log/x', 'noted'),
        ls('/work'),
        ls('/work/src'),
        read('/work/a.md'),
        grep('hidden', '/work'),
        remove('/work'),
      ],
      {
        routes: {
          '/work/': { kind: 'folder', path: folder },
          '/work/src/': { kind: 'branch' },
          '/work/log/': memory,
        },
      },
    )
    expect(results()[2]).toMatch(/^a\.md\t[\s\S]*^log\/\t[\s\S]*^src\/\t/m)
    expect(results()[3]).toMatch(/^c\.md\t/)
    expect(results()[4]).toContain('real')
    expect(results()[5]).toMatch(/^No /)
    expect(results()[6]).toContain('contains the place')
    expect(await changes()).toHaveLength(1)
    expect(existsSync(join(folder, 'log'))).toBe(false)
  })
})

describe('8: o names', () => {
  it('gives a route another name when the project has it, and says so', async () => {
    const { results, project, server } = await run([ls('/docs'), write('/docs-1/a', 'x'), read('/docs-1/a')], {
      files: { 'docs/own.md': 'x' },
      routes: { '/docs/': memory },
    })
    expect(results()[0]).toMatch(/^own\.md/)
    expect(results()[2]).toContain('x')
    expect(project.routeNotes).toEqual([
      'The route /docs/ is /docs-1/ here, because the project has a path of that name.',
    ])
    expect(JSON.stringify(server.requests[0])).toContain(
      '/docs-1/ is kept for this thread and its subagents alone. The user calls it /docs/',
    )
  })
})

describe('8: p paths of places', () => {
  it('says when a command makes files of the project that have the path of a place', async () => {
    const { results, changes } = await run([execute('mkdir notes; echo x > notes/a; echo y > notes/b'), ls('/notes')], {
      routes: { '/notes/': memory },
    })
    expect(results()[0]).toContain('Your file tools do not reach /notes/a and 1 more')
    expect(results()[1]).toBe('/notes is empty.')
    expect((await changes()).map(({ path }) => path)).toEqual(['/notes/a', '/notes/b'])
  })

  it('refuses a file where a folder leads to a place', async () => {
    const { results } = await run(
      [write('/team', 'x'), write('/a', 'x'), move('/a', '/team'), remove('/team'), ls('/'), ls('/team')],
      { routes: { '/team/notes/': memory } },
    )
    for (const index of [0, 2]) expect(results()[index]).toContain('/team is a folder')
    expect(results()[3]).toContain('contains the place /team/notes/')
    expect(results()[4]).toMatch(/^team\/\t/m)
    expect(results()[5]).toMatch(/^notes\/\t/)
  })
})

describe('8: q hostile routes', () => {
  it.each<[string, (outside: string, real: string) => void, string]>([
    ['a link to a file outside', (outside, real) => symlinkSync(join(outside, 'canary'), join(real, 'x')), '/docs/x'],
    ['a link to a folder outside', (outside, real) => symlinkSync(outside, join(real, 'x')), '/docs/x/canary'],
    ['a relative link outside', (_, real) => symlinkSync('../../../../../../etc/hostname', join(real, 'x')), '/docs/x'],
  ])('follows no link out of a folder: %s', async (_, prepare, path) => {
    const [outside, real] = [realFolder({ canary: 'CANARY' }), realFolder({ 'a.md': 'x' })]
    prepare(outside, real)
    const world = await run([read(path), grep('CANARY', '/docs'), glob('**', '/docs'), write(path, 'x')], {
      routes: { '/docs/': { kind: 'folder', path: real, write: 'ask' } },
      approving: true,
    })
    expect(world.results().join('\n')).not.toContain('CANARY\n')
    expect(world.results()[0]).toMatch(/not followed|no file|There is nothing/)
    expect(readFileSync(join(outside, 'canary'), 'utf8')).toBe('CANARY')
  })

  it('neither reads nor writes a folder that was replaced by a link', async () => {
    const [outside, real] = [realFolder({ 'a.md': 'CANARY' }), realFolder({ 'a.md': 'x' })]
    const world = await run(
      [
        { name: 'ask_user', input: { question: 'Go on?' } },
        read('/docs/a.md'),
        grep('CANAR[Y]', '/docs'),
        write('/docs/a.md', 'y'),
      ],
      {
        routes: { '/docs/': { kind: 'folder', path: real, write: 'ask' } },
      },
    )
    renameSync(real, `${real}-moved`)
    symlinkSync(outside, real)
    world.decide(world.id, [{ type: 'respond', callId: 'c0' as ToolCallId, message: 'yes' }])
    await world.project.runtime.whenIdle(world.id)
    world.decide(world.id, [{ type: 'approve', callId: 'c3' as ToolCallId }])
    await world.project.runtime.whenIdle(world.id)
    expect(world.results().slice(1).join()).not.toContain('CANARY')
    expect(readFileSync(join(outside, 'a.md'), 'utf8')).toBe('CANARY')
    expect(readFileSync(join(`${real}-moved`, 'a.md'), 'utf8')).toBe('x')
  })

  it('names wrong routes in the problems of the settings and uses the others', async () => {
    const data = temporaryFolder()
    mkdirSync(join(data, 'projects'))
    const git = realFolder({ '.git/x': '' })
    const routes = {
      'docs/': memory,
      '/': memory,
      '/memories/more/': memory,
      '/new\nline/': memory,
      '/a/../b/': memory,
      '/x/.git/': memory,
      '/whole/': { kind: 'folder', path: '/' },
      '/none/': { kind: 'folder', path: join(data, 'nothing') },
      '/data/': { kind: 'folder', path: join(data, 'projects') },
      '/git/': { kind: 'folder', path: join(git, '.git') },
      '/relative/': { kind: 'folder', path: 'docs' },
      '/kind/': { kind: 'cloud' },
      '/fine/': memory,
    }
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ routes }))
    const host = await openTestHost(data)
    onTestFinished(() => host[Symbol.asyncDispose]())
    const { problems, routes: used } = host.settings.read()
    expect(used.map(({ prefix }) => prefix)).toEqual(['/fine/'])
    const text = problems.join('\n')
    for (const name of Object.keys(routes).filter((one) => !['/fine/', '/kind/'].includes(one)))
      expect(text).toContain(`${JSON.stringify(name)} `)
    expect(text).toContain('/kind/')
  })

  it('hides the data of Coppice in a folder that contains it', async () => {
    const outer = temporaryFolder()
    const data = join(outer, 'data')
    mkdirSync(data)
    writeFileSync(join(data, 'settings.json'), JSON.stringify({ routes: { '/all/': { kind: 'folder', path: outer } } }))
    const host = await openTestHost(data)
    onTestFinished(() => host[Symbol.asyncDispose]())
    const { services } = await host.projects.open(temporaryFolder())
    const [route] = services.routes.filter(({ builtIn }) => !builtIn)
    const listing = route?.backend.kind === 'folder' ? await route.backend.folder.base.list('/' as never) : undefined
    expect(listing?.entries).toEqual([])
  })

  it('cannot be set by a project', async () => {
    const { project } = await run([], {
      routes: {},
      trusted: true,
      files: { '.coppice/settings.json': '{"routes": {"/etc/": {"kind": "folder", "path": "/etc"}}}' },
    })
    const { settings } = await project.extensions.find()
    expect(settings.problems.map(({ message }) => message).join()).toContain('routes is not used')
  })
})
