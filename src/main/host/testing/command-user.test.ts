import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import type { SandboxOptions } from '#adapters/shell/sandbox.ts'
import { sandboxHere } from '#adapters/shell/sandbox-here.testkit.ts'
import { type CommandUser, findCommandUser } from '#adapters/system/command-user.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CommandsWorld, openCommandsWorld } from './commands-world.testkit.ts'

/** As a command sees it: nothing here is ever written. */
const listOpened = `for place in $(find /proc /sys -xdev -type f -not -path '/proc/[0-9]*' -not -path '/proc/self/*' \\
  -not -path '/proc/thread-self/*' 2> /dev/null); do { true >> "$place"; } 2> /dev/null && echo "$place"; done; echo end`

const isRoot = process.getuid?.() === 0
const { state } = await sandboxHere('the user of commands')
const asRoot: CommandUser = { kind: 'root', why: 'as a test wants it' }
const uncovered: SandboxOptions = { findKernelPlaces: () => ({ readOnly: [], hiddenFiles: [], hiddenFolders: [] }) }

let world: CommandsWorld
async function open(options: SandboxOptions = {}): Promise<CommandsWorld> {
  const sandbox = await openSandbox([], options)
  const { findUser } = options
  world = await openCommandsWorld({ sandbox, ...(findUser && { mounts: { findUser } }) })
  return world
}
afterEach(() => world?.[Symbol.asyncDispose]())

describe.skipIf(state !== 'on')('the user of a command in the sandbox', () => {
  it('is the person, or nobody if the person is root', async () => {
    const { run } = await open()
    const number = isRoot ? '65534' : String(process.getuid?.())
    expect((await run('id -u; stat -c %u . src/a.txt ~ $TMPDIR')).output).toBe(`${number}\n`.repeat(5))
  })

  /** Noticed a removed change of the user: `core_pattern` and 762 other files could be opened. */
  it('opens no place of the whole machine for writing', async () => {
    const { run } = await open()
    expect((await run(listOpened)).output).toBe('end\n')
  })

  /** Without the covers, `/proc/sys` opens here as root. As anybody else, files that everybody may write do. */
  it('opens none either where only covers protect them, as root without another user', async () => {
    const { run, sandbox } = await open({ findUser: async () => asRoot })
    expect((await run(listOpened)).output).toBe('end\n')
    expect((await run('id -u')).output).toBe('65534\n')
    expect(sandbox.state).toMatchObject({ state: 'partial', reason: expect.stringContaining('as a test wants it') })
  })

  /** Where only the user protects them, what opens belongs to the command's own namespaces. */
  it('opens no setting of the kernel where nothing is covered', async () => {
    const { run } = await open(uncovered)
    expect((await run(listOpened)).output).not.toMatch(
      /^\/proc\/sys\/(?!fs\/mqueue|kernel\/(ns_last_pid|pid_max|auto_msgmni|msg|sem|shm))|sysrq|^\/sys\//m,
    )
  })

  it.runIf(isRoot)(
    'is told apart by the probe, which finds what is open without covers and without another user',
    async () => {
      const { sandbox } = await open({ ...uncovered, findUser: async () => asRoot })
      expect(sandbox.state).toMatchObject({
        state: 'partial',
        reason: expect.stringMatching(/commands can open places of the machine for writing, such as \/proc\/sys\//),
      })
    },
  )

  it('reads, changes, makes, moves and removes every file of the project, whatever its mode', async () => {
    const { run, root } = await open()
    mkdirSync(`${root}/closed`, { mode: 0o700 })
    writeFileSync(`${root}/closed/a`, 'one\n', { mode: 0o600 })
    writeFileSync(`${root}/closed/gone`, '', { mode: 0o400 })
    const { output, changes } = await run(
      `cd closed && cat a && echo two >> a && chmod 644 a && mv a b && rm -f gone && mkdir c && echo new > c/d && ln -s b l
       git init -q g && cd g && git status --short && touch -d 2001-01-01 ../b && setfattr 2>&1 | head -c 0; echo end`,
    )
    expect(output).toBe('one\nend\n')
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(
      [
        ...['absent /closed/a', 'file /closed/b', 'file /closed/c/d'],
        ...['absent /closed/gone', 'symlink /closed/l'],
      ].sort((a, b) => ((a.split(' ')[1] ?? '') < (b.split(' ')[1] ?? '') ? -1 : 1)),
    )
    expect(readFileSync(`${root}/closed/a`, 'utf8')).toBe('one\n')
    expect(
      (await run('cat closed/a; echo x > node_modules || mkdir node_modules; echo y > node_modules/y; ls')).output,
    ).toContain('one')
  })

  /** As root, what that user's mount had left in a work folder made every later mount of the branch read-only. */
  it('can delete a file of the project, and the next command of the branch finds it deleted', async () => {
    const { run } = await open()
    const { changes } = await run('rm src/a.txt')
    expect(changes).toEqual([{ kind: 'absent', path: '/src/a.txt' }])
    const overlay = [{ kind: 'absent', path: '/src/a.txt' as VirtualPath }] as const
    expect(await run('ls src; echo b > src/b.txt', { overlay })).toMatchObject({ exitCode: 0, output: '' })
  })

  it('is the same in a view that is a copy', async () => {
    const sandbox = await openSandbox([])
    world = await openCommandsWorld({ sandbox, mounts: { probe: async () => ({ kind: 'copy', reason: 'asked for' }) } })
    const number = isRoot ? '65534' : String(process.getuid?.())
    const { output, changes } = await world.run('id -u; stat -c %u . src/a.txt; echo two > src/a.txt; cat src/a.txt')
    expect(output).toBe(`${`${number}\n`.repeat(3)}two\n`)
    expect(changes).toHaveLength(1)
  })

  it('can start a server that refuses to run as root, and has no rights of any kind', async () => {
    const { run } = await open()
    const { output } = await run(`if [ "$(id -u)" = 0 ]; then echo 'refused to run as root'; exit 1; fi
      grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | cut -f2 | sort -u; grep NoNewPrivs /proc/self/status | cut -f2
      unshare -Ur true 2> /dev/null && echo 'made namespaces'; [ $EUID = $UID ] && echo end`)
    expect(output).toBe('0000000000000000\n1\nend\n')
  })
})

describe('the programs that make a view and a sandbox', () => {
  /** Noticed the missing system folders before PATH: a `bwrap` that a command left in the project ran unconfined. */
  it('never come from a folder of the project, also when PATH names one', async () => {
    const { run, root } = await open()
    const { output: user } = await run('/usr/bin/id -u')
    const path = process.env.PATH
    const names = [
      'bwrap',
      'mount',
      'umount',
      'setpriv',
      'unshare',
      'nsenter',
      'perl',
      'python3',
      'tee',
      'cat',
      'xargs',
    ]
    const plant = names.map(
      (name) => `printf '#!/bin/sh\\necho planted-%s >&2\\n' ${name} > ${name}; chmod 755 ${name}`,
    )
    const script = `mkdir -p node_modules/.bin && cd node_modules/.bin && { ${plant.join('; ')}; } && echo ready`
    process.env.PATH = `${root}/node_modules/.bin:${path}`
    try {
      expect((await run(script)).output).toBe('ready\n')
      const { output } = await run('ls node_modules/.bin | wc -l; /usr/bin/id -u')
      expect(output).toBe(`${names.length}\n${user}`)
    } finally {
      process.env.PATH = path
    }
  })
})

it('is found once, and needs no root to be somebody', async () => {
  const user = await findCommandUser()
  expect(['own', 'other', 'root', 'unknown']).toContain(user.kind)
  expect(user.kind === 'own').toBe(process.platform === 'linux' && !isRoot)
})
