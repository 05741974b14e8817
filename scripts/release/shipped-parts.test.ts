import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { packagesOf } from '../package/bundled-packages.ts'
import { type Lock, sbomOf, shippedParts } from './sbom.ts'

interface Entry {
  readonly version: string
  readonly resolved?: string
  readonly integrity?: string
  readonly inBundle?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
const lock: Readonly<Record<string, Entry>> = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages
const project = JSON.parse(readFileSync('package.json', 'utf8'))
const app = { name: 'coppice', version: '1.2.3' }

/** Every package that an installation can bring, found by the dependencies alone. */
function installable(): ReadonlySet<string> {
  const found = new Set<string>()
  const needs = (path: string) => Object.keys({ ...lock[path]?.dependencies, ...lock[path]?.optionalDependencies })
  const add = (from: string, name: string): void => {
    const path = [...placesAbove(from)].map((place) => `${place}node_modules/${name}`).find((place) => place in lock)
    if (path === undefined || found.has(path)) return
    found.add(path)
    for (const one of needs(path)) add(path, one)
  }
  for (const name of needs('')) add('', name)
  return found
}

/** Where Node looks for what a package needs, the nearest first. */
function* placesAbove(path: string): Generator<string> {
  if (path !== '') yield `${path}/`
  for (let at = path.lastIndexOf('node_modules/'); at > 0; at = path.lastIndexOf('node_modules/', at - 1))
    yield path.slice(0, at)
  yield ''
}

// Mutation: leave out what is marked as optional, or call a package by its folder.
it('the list of a release has what an installation can bring, under the names that npm knows', () => {
  const listed = new Set(shippedParts(lock, []).map(({ name, version }) => `${name}@${version}`))
  const known = (path: string) =>
    (lock[path] as { readonly name?: string }).name ?? path.replace(/^.*node_modules\//, '')
  const paths = [...installable()]
  expect(paths.length).toBeGreaterThan(20)
  expect(paths.map((path) => `${known(path)}@${lock[path]?.version}`).filter((one) => !listed.has(one))).toEqual([])
  expect([...listed].filter((one) => one.includes('node-pty')).every((one) => one.startsWith('@lydell/'))).toBe(true)
  expect([...listed].some((one) => one.startsWith('electron@'))).toBe(true)
})

it('has each bundled package with the version that is in the bundle, and refuses one that nothing pins', () => {
  const bundled = packagesOf([
    ...['/x/node_modules/zod/v4/index.js', '/x/node_modules/a/node_modules/@b/zod/index.js', '/x/src/main.ts'],
    ...['C:\\x\\node_modules\\zod\\a.js', '\0/x/node_modules/zod/b.js?commonjs-proxy'],
  ])
  expect(bundled).toEqual(['node_modules/a/node_modules/@b/zod', 'node_modules/zod'])
  const own: Lock = {
    ...{
      'node_modules/zod': { version: '4.0.0', dev: true },
      'node_modules/electron': { version: '1.0.0', dev: true },
    },
    'node_modules/a/node_modules/@b/zod': { version: '3.0.0', dev: true, integrity: 'sha512-AAE=' },
    'node_modules/@fontsource-variable/inter': { version: '1.0.0', dev: true },
    'node_modules/@fontsource-variable/jetbrains-mono': { version: '1.0.0', dev: true },
  }
  const { components } = JSON.parse(sbomOf(app, shippedParts(own, bundled)))
  expect(components.map(({ purl }: { purl: string }) => purl)).toEqual(
    expect.arrayContaining(['pkg:npm/%40b/zod@3.0.0', 'pkg:npm/zod@4.0.0']),
  )
  expect(components).toContainEqual(expect.objectContaining({ hashes: [{ alg: 'SHA-512', content: '0001' }] }))
  expect(() => shippedParts(own, ['node_modules/unknown'])).toThrow('does not have node_modules/unknown')
})

/**
 * Builds for other systems, which the registry did not have when the lock file was made (404 on 29 November 2026). Where it has
 * them, `npm view NAME@VERSION dist.integrity` says the hash that belongs into the lock file.
 */
const withoutHash = ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu', 'wasm32-wasi', 'win32-x64-msvc'].map(
  (system) => `node_modules/@pydantic/monty-${system}`,
)

// Mutation: take the hash of any package out of the lock file, or name a version as a range.
it('every package is pinned: by an exact version, and by its hash', () => {
  const wanted = { ...project.dependencies, ...project.optionalDependencies, ...project.devDependencies }
  const ranges = Object.entries<string>(wanted).filter(
    ([, version]) => !/^(?:npm:\S+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version),
  )
  expect(ranges).toEqual([])
  const unsafe = Object.entries(lock).filter(
    ([path, { integrity, inBundle }]) => path !== '' && !inBundle && !integrity?.startsWith('sha512-'),
  )
  expect(unsafe.map(([path]) => path)).toEqual(withoutHash)
  const origins = new Set(
    Object.values(lock)
      .flatMap(({ resolved }) => resolved ?? [])
      .map((from) => new URL(from).origin),
  )
  expect(origins.size).toBeLessThan(2)
  for (const origin of origins) expect(origin).toMatch(/^https:/)
})
