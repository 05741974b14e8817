import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readChecksums, writeChecksums } from './checksums.ts'
import { planInstallation } from './install-packaged.ts'
import { writeCask, writeWingetManifests } from './manifests.ts'
import { addSection, findNotable, findSection, nextVersion, writeSection } from './next-version.ts'

const changesOf = (...subjects: readonly string[]) => findNotable(subjects)

describe('the next version', () => {
  it.each([
    ['1.4.2', ['fix: a'], '1.4.3'],
    ['1.4.2', ['perf(window): a', 'fix: b'], '1.4.3'],
    ['1.4.2', ['fix: a', 'feat(cli): b'], '1.5.0'],
    ['1.4.2', ['feat!: a'], '2.0.0'],
    ['0.9.0', ['refactor(core)!: a'], '0.10.0'],
    ['1.4.2', ['docs: a', 'test: b', 'Merge: c'], null],
    ['1.4.2', [], null],
  ])('after %s with %j is %s', (current, subjects, next) => {
    expect(nextVersion(current, findNotable(subjects))).toBe(next)
  })

  it('refuses what is not a version', () => {
    expect(() => nextVersion('v1', changesOf('fix: a'))).toThrow('"v1" is not a version')
  })
})

describe('the change log', () => {
  const section = writeSection('1.5.0', '2026-11-23', changesOf('feat(cli): logs', 'fix: a crash', 'feat!: no Node 20'))

  it('groups what people notice', () => {
    expect(section).toBe(
      '## 1.5.0 · 2026-11-23\n\n### Changed in a way you must know\n\n- No Node 20.\n\n### New\n\n- Logs (cli).\n\n### Mended\n\n- A crash.\n',
    )
  })

  it('gets each section once, above the others, and gives it back', () => {
    const log = addSection('# Changes\n\nWhat changed.\n\n## 1.4.0 · 2026-11-01\n\n- Old.\n', '1.5.0', section)
    expect(log).toMatch(/What changed\.\n\n## 1\.5\.0.+\n## 1\.4\.0 · 2026-11-01\n\n- Old\.\n$/s)
    expect(findSection(log, '1.5.0')).toContain('- Logs (cli).')
    expect([findSection(log, '1.4.0'), findSection(log, '1.4')]).toEqual(['- Old.', null])
    expect(() => addSection(log, '1.5.0', section)).toThrow('already has a section for 1.5.0')
    expect(findSection(addSection('# Changes\n', '1.5.0', section), '1.5.0')).toContain('A crash')
  })

  it('of this project has a section for its version', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
    expect(findSection(readFileSync('CHANGELOG.md', 'utf8'), version)).not.toBeNull()
  })
})

describe('a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-release-'))
  const files = ['arm64.dmg', 'x64.dmg', 'arm64.exe', 'x64.exe'].map((ending) => `Coppice-1.5.0-${ending}`)
  for (const name of files) writeFileSync(join(folder, name), name)
  mkdirSync(join(folder, 'manifests'))
  const repository = 'https://github.com/owner/coppice'

  it('lists its files as sha256sum checks them', async () => {
    const text = await writeChecksums(folder)
    writeFileSync(join(folder, 'SHA256SUMS'), text)
    expect([...readChecksums(text).keys()]).toEqual(files.toSorted())
    expect(await writeChecksums(folder)).toBe(text)
    if (process.platform === 'linux') execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder })
    expect(() => readChecksums('abc  x\n')).toThrow('Not a line of SHA256SUMS')
  })

  it('has a cask and manifests with the hash of each installer', async () => {
    const hashes = readChecksums(await writeChecksums(folder))
    const release = { version: '1.5.0', repository, hashes }
    const cask = writeCask(release)
    expect(cask).toContain(
      'url "https://github.com/owner/coppice/releases/download/v#{version}/Coppice-#{version}-#{arch}.dmg"',
    )
    expect(cask).toContain(`sha256 arm:   "${hashes.get('Coppice-1.5.0-arm64.dmg')}"`)
    const manifests = [...writeWingetManifests(release)].map(([, text]) => parse(text))
    expect(manifests.map(({ ManifestType }) => ManifestType)).toEqual(['version', 'installer', 'defaultLocale'])
    expect(manifests[1].Installers).toEqual([
      {
        Architecture: 'x64',
        InstallerUrl: `${repository}/releases/download/v1.5.0/Coppice-1.5.0-x64.exe`,
        InstallerSha256: hashes.get('Coppice-1.5.0-x64.exe')?.toUpperCase(),
      },
      expect.objectContaining({ Architecture: 'arm64' }),
    ])
  })

  it('is refused while an installer is missing', () => {
    const release = { version: '1.5.0', repository, hashes: new Map([['Coppice-1.5.0-x64.dmg', 'a'.repeat(64)]]) }
    expect(() => writeCask(release)).toThrow('0 files that end with -arm64.dmg')
  })
})

describe('the installation of a package', () => {
  const input = { folder: '/dist', applications: '/apps', localPrograms: 'C:\\Programs', arch: 'x64' }
  const names = ['coppice_0.9.0_amd64.deb', 'Coppice-0.9.0-arm64.zip', 'Coppice-0.9.0-x64.zip', 'Coppice-0.9.0-x64.exe']

  it.each([
    ['linux', 'x64', 'coppice_0.9.0_amd64.deb'],
    ['darwin', 'arm64', 'Coppice-0.9.0-arm64.zip'],
    ['win32', 'x64', 'Coppice-0.9.0-x64.exe'],
  ] as const)('on %s %s takes the one for that machine', (platform, arch, name) => {
    const { steps } = planInstallation({ ...input, platform, arch, names })
    expect(steps.flat().some((word) => word.endsWith(name))).toBe(true)
  })

  it('says what is there when that one is missing', () => {
    expect(() => planInstallation({ ...input, platform: 'win32', arch: 'arm64', names })).toThrow(
      'No package for win32 arm64 in /dist. There is: coppice_0.9.0_amd64.deb',
    )
  })
})
