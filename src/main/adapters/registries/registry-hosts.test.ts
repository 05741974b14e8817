import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { resolveHosts } from './registry-hosts.ts'

/** The hosts of presets for a person with these files in their home. */
function hosts(
  presets: readonly string[],
  files: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const home = mkdtempSync(join(tmpdir(), 'coppice-registries-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  return resolveHosts(presets, { home, environment })
}

describe('a preset stands for', () => {
  it('the public registry of a person who configured none', () => {
    expect(hosts(['preset:npm', 'example.com', 'preset:npm'])).toEqual([
      'registry.npmjs.org',
      'registry.yarnpkg.com',
      'example.com',
    ])
    expect(hosts(['preset:pypi'])).toEqual(['pypi.org', 'files.pythonhosted.org'])
    expect(hosts(['preset:cargo'])).toContain('static.crates.io')
    expect(hosts(['preset:go', 'preset:maven', 'preset:rubygems', 'preset:packagist'])).toContain('sum.golang.org')
  })

  it('the registry of npm’s configuration, with those of scopes, and nothing else of it', () => {
    const npmrc =
      'registry=https://npm.example.com:8443/all/\n@me:registry = https://me.example.com/\n//x.org/:_authToken=t\n'
    expect(hosts(['preset:npm'], { '.npmrc': npmrc })).toEqual(['npm.example.com:8443', 'me.example.com'])
    expect(hosts(['preset:npm'], { '.npmrc': '@me:registry=https://me.example.com/' })).toContain('registry.npmjs.org')
  })

  it('the indexes of pip’s configuration', () => {
    const pip = '[global]\nindex-url = https://pip.example.com/simple\nextra-index-url = https://a.org/x file:///opt\n'
    expect(hosts(['preset:pypi'], { '.config/pip/pip.conf': pip })).toEqual(['pip.example.com', 'a.org'])
    expect(hosts(['preset:pypi'], {}, { PIP_INDEX_URL: 'https://i.example.com/simple' })).toEqual(['i.example.com'])
  })

  it('the replaced sources and further registries of cargo’s configuration', () => {
    const replaced =
      '[source.crates-io]\nreplace-with = "mine"\n[source.mine]\nregistry = "sparse+https://c.example.com/"\n'
    expect(hosts(['preset:cargo'], { '.cargo/config.toml': replaced })).toEqual(['c.example.com'])
    const further = '[registries.mine]\nindex = "https://c.example.com/git"\n'
    expect(hosts(['preset:cargo'], { '.cargo/config.toml': further })).toEqual(
      expect.arrayContaining(['index.crates.io', 'c.example.com']),
    )
  })

  it('the public registry when the configuration names no address of the network', () => {
    expect(hosts(['preset:npm'], { '.npmrc': 'registry=file:///tmp\n' })).toContain('registry.npmjs.org')
    expect(hosts(['preset:go'], {}, { GOPROXY: 'off,https://go.example.com|direct' })).toEqual(['go.example.com'])
  })
})
