import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { installCommand, planInstall } from './install-command.ts'

let resources: string
let home: string

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-command-'))
  resources = join(folder, 'Coppice/resources')
  home = join(folder, 'home')
  mkdirSync(join(resources, 'bin'), { recursive: true })
  writeFileSync(join(resources, 'bin/coppice'), '#!/bin/sh\necho started\n')
  chmodSync(join(resources, 'bin/coppice'), 0o755)
})

const request = () => ({ platform: 'linux' as const, resources, home, mayWrite: () => false })

describe.skipIf(process.platform === 'win32')('installing the command', () => {
  it('prefers the folder of the system, if it may be written', () => {
    const plan = planInstall({ ...request(), mayWrite: () => true, path: '/usr/local/bin' })
    expect(plan).toMatchObject({ link: '/usr/local/bin/coppice', onPath: true })
  })

  it('changes the PATH of the user on Windows', () => {
    expect(planInstall({ ...request(), platform: 'win32' }).kind).toBe('user-path')
  })

  it('makes a command that runs, and says that its folder is not on PATH', async () => {
    const { path, next } = await installCommand(request())
    expect([path, next]).toEqual([join(home, '.local/bin/coppice'), expect.stringContaining('.local/bin to PATH')])
    expect(execFileSync(join(home, '.local/bin/coppice'), { encoding: 'utf8' })).toBe('started\n')
  })

  it('replaces the link of an earlier Coppice', async () => {
    const link = join(home, '.local/bin/coppice')
    mkdirSync(join(home, '.local/bin'), { recursive: true })
    symlinkSync('/gone/resources/bin/coppice', link)
    expect((await installCommand(request())).path).toBe(link)
    expect(readlinkSync(link)).toBe(join(resources, 'bin/coppice'))
  })

  it('leaves the command of somebody else alone', async () => {
    mkdirSync(join(home, '.local/bin'), { recursive: true })
    writeFileSync(join(home, '.local/bin/coppice'), 'mine')
    await expect(installCommand(request())).rejects.toThrow('belongs to another installation')
  })
})
