import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { MountView } from '#core/ports/branch-mounts.ts'
import type { Talk } from '#core/ports/shell.ts'
import { createShell } from '../shell.ts'
import { openSeatbelt } from './open-seatbelt.ts'
import { judge } from './probe.ts'

const folder = mkdtempSync(join(tmpdir(), 'coppice-seatbelt-'))
const home = join(folder, 'person')
mkdirSync(home)
writeFileSync(join(home, 'private'), '')

/** A program in the place of `sandbox-exec`. It gets `-p`, the profile and the command. */
function programOf(name: string, script: string): string {
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/bash\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

const open = (program: string) => openSeatbelt([], { home, program, environment: {}, path: '/usr/bin:/bin' })

function plainMount(): MountView {
  const parts = ['files', 'home', 'tmp'].map((part) => join(folder, 'mount', part))
  for (const part of parts) mkdirSync(part, { recursive: true })
  const [files = '', ownHome = '', temporary = ''] = parts
  return {
    ...{ folder: files, home: ownHome, temporary, places: [], leftOut: [], evicted: [], missing: null },
    enter: (program) => program,
  }
}

describe('the sandbox of macOS', () => {
  it('is never on when the profile has no effect, and says what got through', async () => {
    await using sandbox = await open(programOf('obeys-nothing', 'shift 2; exec "$@"'))
    expect(sandbox.state.state).toBe('partial')
    expect(sandbox.state.reason).toContain('commands can write outside their view')
    expect(sandbox.state.reason).toContain('commands can read your home folder')
    expect(sandbox.state.reason).toContain('commands can end programs of yours')
    expect(sandbox.state.reason).toContain('commands can reach services of this machine')
    expect(sandbox.state.reason).toMatch(/Every command asks\.$/)
  })

  it('opens for its attempts, and writes to nothing', async () => {
    await using _sandbox = await open(programOf('obeys-nothing', 'shift 2; exec "$@"'))
    expect([readFileSync(join(home, 'private'), 'utf8'), existsSync(join(home, 'probe'))]).toEqual(['', false])
  })

  it.each([
    ['refuses the profile', 'echo "sandbox-exec: profile:3: unbound variable" >&2; exit 65'],
    ['is missing', ''],
  ])('is off when sandbox-exec %s', async (_what, script) => {
    await using sandbox = await open(script === '' ? join(folder, 'none') : programOf('fails', script))
    expect(sandbox.state).toMatchObject({
      state: 'off',
      reason: expect.stringMatching(/^Seatbelt does not work here \(.+\)/),
    })
    const confined = await sandbox.confine(['true'], request)
    expect([confined.isConfined, confined.program]).toEqual([false, ['true']])
  })

  it('is on when nothing got through', () => {
    expect(judge({ output: 'works\n', error: '' }, false)).toMatchObject({ state: 'on' })
    expect(judge({ output: 'works\n', error: '' }, true)).toMatchObject({ state: 'partial' })
    expect(judge({ output: 'keychain\nworks\n', error: '' }, false).reason).toContain('your keychain')
  })

  it('runs a command with its profile, in its view and with its own home', async () => {
    await using sandbox = await open(
      programOf('keeps-profile', `printf %s "$2" > ${folder}/profile; shift 2; exec "$@"`),
    )
    const mount = plainMount()
    const shell = createShell({ sandbox, rootFolder: '/Users/me/project' })
    const request = { command: 'pwd; echo $HOME; echo $TMPDIR', timeoutMs: 20_000, mount, onOutput: () => undefined }
    const { output } = await shell.execute(request, never)
    expect(output.split('\n')).toEqual([mount.folder, mount.home, mount.temporary, ''])
    const profile = readFileSync(join(folder, 'profile'), 'utf8')
    expect(profile).toContain(
      `(allow file-read* file-map-executable process-exec* file-write* (subpath "${mount.folder}")`,
    )
    expect(profile).toContain('(subpath "/Users/me/project")')
    expect(profile).not.toContain('(allow network-outbound (remote ip')
  })

  it('lets a program talk with the app over a socket of its own, and no other command', async () => {
    const netcat = programOf('netcat', `exec socat - "UNIX-CONNECT:$2"`)
    const program = programOf('keeps-both', `printf %s "$2" > ${folder}/talked; shift 2; exec "$@"`)
    await using sandbox = await openSeatbelt([], { home, program, netcat, environment: {}, path: '/usr/bin:/bin' })
    const shell = createShell({ sandbox, rootFolder: '/Users/me/project' })
    const mount = plainMount()
    const request = { command: 'echo hello | $COPPICE_TALK', timeoutMs: 20_000, mount, onOutput: () => undefined }
    const said = await shell.execute({ ...request, onTalk: answerOnce }, never)
    expect(said.output).toBe('you said hello\n')
    const [, socket] =
      /remote unix-socket \(literal "([^"]+talk-\d+)"\)/.exec(readFileSync(join(folder, 'talked'), 'utf8')) ?? []
    expect(existsSync(socket ?? folder)).toBe(false)
    const other = await shell.execute({ ...request, command: 'echo "[$COPPICE_TALK]"' }, never)
    expect(other.output).toBe('[]\n')
    expect(readFileSync(join(folder, 'talked'), 'utf8')).not.toContain('talk-')
  })
})

function answerOnce(talk: Talk): void {
  talk.listen((bytes) => {
    talk.write(`you said ${new TextDecoder().decode(bytes)}`)
    talk.close()
  })
}

const request = {
  mount: plainMount(),
  rootFolder: null,
  hosts: [],
  given: null,
  memoryBytes: 1024 ** 2,
}
