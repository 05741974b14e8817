import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { MountView } from '#core/ports/branch-mounts.ts'
import { sandboxHere } from '../sandbox-here.testkit.ts'
import { createShell } from '../shell.ts'
import { findLinux } from './linux-places.ts'
import { openWsl } from './open-wsl.ts'
import { judge } from './probe.ts'
import { carryVariables, createWsl } from './wsl-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'coppice-wsl-'))

function programOf(name: string, script: string): string {
  const file = join(folder, name)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `#!/bin/bash\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

/**
 * A program in the place of `wsl.exe`, which runs programs in this Linux as a user that is not root, with the variables
 * that `WSLENV` names. `only` names what is on PATH besides the programs of the system.
 */
function linuxOf(name: string): string {
  programOf(`${name}/id`, 'echo 1000')
  programOf(`${name}/wslpath`, 'echo "/mnt/$(echo "$2" | cut -c1 | tr A-Z a-z)/"')
  return programOf(
    `${name}/wsl.exe`,
    `shift; kept=(); IFS=: read -ra names <<< "\${WSLENV-}"
for name in "\${names[@]}"; do kept+=("$name=\${!name}"); done
exec env -i PATH=${join(folder, name)}:/usr/bin:/bin "\${kept[@]}" "$@"`,
  )
}

/** A file that no Linux can start. */
const ofWindows = join(folder, 'whoami.exe')
writeFileSync(ofWindows, Buffer.from([0x4d, 0x5a, 0, 0, 1, 2, 3]), { mode: 0o755 })

function plainMount(): MountView {
  const parts = ['files', 'home', 'tmp'].map((part) => join(folder, 'mount', part))
  for (const part of parts) mkdirSync(part, { recursive: true })
  const [files = '', home = '', temporary = ''] = parts
  return {
    ...{ folder: files, home, temporary, places: [], leftOut: [], evicted: [], missing: null },
    enter: (program) => program,
  }
}

const confinement = { rootFolder: null, hosts: [], given: null, memoryBytes: 1024 ** 2 }

const { state } = await sandboxHere('the Linux of a Windows machine, played by this one,')

describe.runIf(state === 'on')('commands in the Linux of a Windows machine', () => {
  it('write to their view alone, and see neither the rest of the disk nor a network', async () => {
    await using sandbox = await openWsl({ program: linuxOf('linux'), windowsProgram: ofWindows, environment: {} })
    expect(sandbox.state).toMatchObject({ state: 'on', reason: expect.stringContaining('bubblewrap in WSL (') })
    const shell = createShell({ sandbox, rootFolder: null })
    const mount = plainMount()
    const run = (command: string) =>
      shell.execute({ command, timeoutMs: 20_000, mount, onOutput: () => undefined }, never)
    const seen = await run(
      `echo made > made.txt; echo x 2> /dev/null > ${folder}/outside.txt; ls ${folder}; cat < /dev/tcp/127.0.0.1/22; echo "$HOME $TMPDIR"`,
    )
    expect(seen.output).toContain('/run/coppice-home /tmp\n')
    expect(seen.output).not.toContain('whoami.exe')
    const staying = sandbox.confine(['true'], { ...confinement, mount, stays: true })
    await expect(staying).rejects.toThrow('cannot stay in the background')
    expect([existsSync(join(mount.folder, 'made.txt')), existsSync(join(folder, 'outside.txt'))]).toEqual([true, false])
  })

  it('ask each time when a program of Windows can be started from the view, or cannot be tried', async () => {
    const startable = programOf('startable.exe', 'echo me')
    const states = [startable, join(folder, 'none.exe')].map(async (windowsProgram) => {
      await using sandbox = await openWsl({ program: linuxOf('linux'), windowsProgram, environment: {} })
      return sandbox.state
    })
    expect(await Promise.all(states)).toEqual([
      { state: 'partial', reason: expect.stringContaining('commands can start programs of Windows') },
      { state: 'partial', reason: expect.stringContaining('it is unknown whether') },
    ])
  })

  it('are never taken for confined when bubblewrap confines nothing', async () => {
    const program = linuxOf('open-linux')
    programOf(
      'open-linux/bwrap',
      'while [ "$1" != -- ]; do last=$1; shift; [ "$1" = --chdir ] && cd "$2"; done; shift; exec "$@"',
    )
    await using sandbox = await openWsl({ program, windowsProgram: ofWindows, environment: {} })
    expect(sandbox.state).toMatchObject({ state: 'partial', reason: expect.stringContaining('outside their view') })
  })

  it.each([
    ['WSL is missing', join(folder, 'no-wsl.exe'), 'Run "wsl --install"'],
    ['the user is root', rootLinux(), 'runs programs as root'],
    ['bubblewrap is missing', bareLinux(), 'apt install -y bubblewrap'],
  ])('have no sandbox when %s, and are told what to do', async (_what, program, next) => {
    await using sandbox = await openWsl({ program, windowsProgram: ofWindows, environment: {} })
    expect(sandbox.state).toMatchObject({ state: 'off', reason: expect.stringContaining(next) })
    expect(sandbox.state.reason).toMatch(/Every command asks\.$/)
  })
})

function rootLinux(): string {
  const program = linuxOf('root-linux')
  programOf('root-linux/id', 'echo 0')
  return program
}

function bareLinux(): string {
  return programOf('bare-linux/wsl.exe', `shift; exec /usr/bin/env -i PATH=${join(folder, 'bare-linux')} /bin/"$@"`)
}

it.runIf(state === 'on')('finds what a Linux has, as folders and links', async () => {
  const linux = await findLinux(createWsl(linuxOf('linux')))
  expect(linux).toMatchObject({ places: { folders: expect.arrayContaining(['/usr', '/etc']) } })
})

it.each([
  ['C:\\Users\\me\\files', '/mnt/c/Users/me/files'],
  ['d:/data', '/mnt/d/data'],
  ['C:\\', '/mnt/c'],
  ['/mnt/c/x', '/mnt/c/x'],
  ['\\\\server\\share\\x', null],
  ['relative', null],
])('finds %s in Linux as %s', async (file, path) => {
  expect(await createWsl(linuxOf('linux')).pathOf(file)).toBe(path)
})

it('finds no file of a drive when Linux does not answer', async () => {
  expect(await createWsl(join(folder, 'none.exe')).pathOf('C:\\x')).toBeNull()
})

it('hands over every variable except PATH and SystemRoot', () => {
  expect(carryVariables({ HOME: '/h', PATH: 'C:\\Windows', SystemRoot: 'C:\\Windows', LANG: 'C' })).toEqual({
    ...{ HOME: '/h', PATH: 'C:\\Windows', SystemRoot: 'C:\\Windows', LANG: 'C' },
    ...{ WSLENV: 'HOME:LANG', WSL_UTF8: '1' },
  })
})

it('is off when nothing ran, and on only when everything was tried', () => {
  const tried = { output: 'works\n', isReached: false, hasTriedWindows: true }
  const states = [
    tried,
    { ...tried, output: null },
    { ...tried, isReached: true },
    { ...tried, output: 'drives\nworks' },
    { ...tried, hasTriedWindows: false },
  ]
  expect(states.map((one) => judge(one, 'Ubuntu').state)).toEqual(['on', 'off', 'partial', 'partial', 'partial'])
})
