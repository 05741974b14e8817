import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
/** Scripts in plain JavaScript have no types. */
const load = (file: string) => import(join(root, file))
const { default: configuration } = await load('electron-builder.config.mjs')
const { wanted } = await load('scripts/package/check-fuses.mjs')
const { signingProblems } = await load('scripts/package/signing.mjs')
const { missingNatives, nativeFiles }: Natives = await load('scripts/package/check-resources.mjs')

interface Natives {
  missingNatives(modules: string, system: string, arch: string): readonly string[]
  nativeFiles(system: string, arch: string): readonly string[]
}

describe('the configuration of the packages', () => {
  it('sets each fuse that is read back from the packaged program, and no other', () => {
    const named = Object.entries(configuration.electronFuses ?? {}).map(([name, isOn]) => [
      name.charAt(0).toUpperCase() + name.slice(1),
      isOn,
    ])
    expect(Object.fromEntries(named)).toEqual(wanted)
  })

  it('turns no sandbox off in an AppImage, and signs ad hoc where there is no certificate', () => {
    expect(configuration.appImage?.executableArgs).toEqual([])
    expect(configuration.mac).toMatchObject({ identity: '-', hardenedRuntime: false })
  })
})

describe('native files', () => {
  const folder = (files: readonly string[]) => {
    const made = mkdtempSync(join(tmpdir(), 'coppice-natives-'))
    for (const file of files) mkdirSync(join(made, file), { recursive: true })
    return made
  }

  it('of another processor do not pass', () => {
    const intel = folder(nativeFiles('mac', 'x64'))
    expect(missingNatives(intel, 'mac', 'x64')).toEqual([])
    expect(missingNatives(intel, 'mac', 'arm64').join('\n')).toContain('@vscode/ripgrep-darwin-arm64 is missing')
  })

  it('are named as the packages are that the lock file knows', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
    const targets = [
      ['mac', 'arm64'],
      ['mac', 'x64'],
      ['win', 'x64'],
      ['win', 'arm64'],
      ['linux', 'x64'],
      ['linux', 'arm64'],
    ] as const
    const scoped = targets.flatMap(([system, arch]) => nativeFiles(system, arch)).filter((file) => file.startsWith('@'))
    expect(scoped.filter((name) => !(`node_modules/${name}` in packages))).toEqual([])
  })
})

it('a secret of a signature without its others ends the packaging', () => {
  expect(signingProblems({})).toEqual([])
  const apple = { APPLE_API_KEY: 'key.p8', APPLE_API_KEY_ID: 'id', APPLE_API_ISSUER: 'issuer' }
  expect(signingProblems({ ...apple, CSC_LINK: 'certificate' })).toEqual([])
  expect(signingProblems(apple)).toHaveLength(1)
  expect(signingProblems({ APPLE_API_KEY: 'key.p8', CSC_LINK: 'certificate' })).toHaveLength(1)
  expect(signingProblems({ CSC_KEY_PASSWORD: 'word' })).toHaveLength(1)
})

describe.skipIf(process.platform === 'win32')('after the installation', () => {
  it.each(['npm-cli.js', 'npm'])('%s is started without a shell that reads the path', (name) => {
    const place = join(mkdtempSync(join(tmpdir(), 'coppice-install-')), 'a$(touch x)b')
    const fake = join(place, 'programs', name)
    for (const made of ['bin', 'out', 'programs']) mkdirSync(join(place, made), { recursive: true })
    cpSync(join(root, 'bin/after-install.mjs'), join(place, 'bin/after-install.mjs'))
    writeFileSync(join(place, 'package.json'), '{"optionalDependencies":{"isolated-vm":"7.0.1"}}')
    const script = `#!${process.execPath}
const fs = require('node:fs')
fs.mkdirSync('node_modules/isolated-vm', { recursive: true })
fs.writeFileSync('node_modules/isolated-vm/asked', process.argv.slice(2).join(' '))
`
    writeFileSync(fake, script, { mode: 0o755 })
    const isNamed = name === 'npm-cli.js'
    const path = isNamed ? '/nowhere' : dirname(fake)
    const env = { PATH: path, ...(isNamed && { npm_execpath: fake }) }
    expect(spawnSync(process.execPath, ['bin/after-install.mjs'], { cwd: place, env }).status).toBe(0)
    const asked = readFileSync(join(place, 'out/node_modules/isolated-vm/asked'), 'utf8')
    expect(asked).toContain('--prefix . isolated-vm@7.0.1')
    expect([existsSync(join(place, 'x')), existsSync(join(place, 'fetched'))]).toEqual([false, false])
  })
})
