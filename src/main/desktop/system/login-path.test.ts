import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { joinPaths, needsLoginPath, readLoginPath } from './login-path.ts'

const folder = mkdtempSync(join(tmpdir(), 'coppice-login-'))

/** A shell whose start-up files do this before they run the given command. */
function shellWith(name: string, startUp: string): string {
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\n${startUp}\n[ "$3" = -c ] && eval "$4"\n`)
  chmodSync(file, 0o755)
  return file
}

const read = (shell: string, patience = 10_000) =>
  readLoginPath({ shell, environment: { PATH: '/usr/bin:/bin' }, patience })

describe.skipIf(process.platform === 'win32')('the PATH of a person', () => {
  it('is that of their shell, whatever its start-up files print', async () => {
    const shell = shellWith('brew', 'echo "Welcome!"; PATH=/opt/homebrew/bin:$PATH; echo again >&2')
    expect(await read(shell)).toBe('/opt/homebrew/bin:/usr/bin:/bin')
  })

  it('is unknown when the shell fails, is missing, or says nothing', async () => {
    expect(await read(shellWith('broken', 'exit 3'))).toBeNull()
    expect(await read(shellWith('empty', 'PATH='))).toBeNull()
    expect(await read(join(folder, 'none'))).toBeNull()
  })

  it('is given up when a start-up file waits for ever', async () => {
    expect(await read(shellWith('waits', 'exec sleep 600'), 200)).toBeNull()
  })
})

it('keeps what only the app has, behind what the person has', () => {
  expect(joinPaths('/opt/homebrew/bin:/usr/bin', '/usr/bin:/app/bin')).toBe('/opt/homebrew/bin:/usr/bin:/app/bin')
  expect(joinPaths(null, '/usr/bin::/bin')).toBe('/usr/bin:/bin')
})

it('is asked for only where no terminal started the app', () => {
  expect([
    needsLoginPath('darwin', {}),
    needsLoginPath('darwin', { TERM: 'xterm' }),
    needsLoginPath('win32', {}),
  ]).toEqual([true, false, false])
})
