import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Locked {
  readonly engines?: { readonly node?: string }
}

// Mutation: raise a version in one of the two files.
it('gives the package of the overlay the versions that the project installs', () => {
  const project = JSON.parse(readFileSync('package.json', 'utf8'))
  const own = JSON.parse(readFileSync('packages/overlay/package.json', 'utf8'))
  const wanted = { ...own.dependencies, ...own.devDependencies }
  expect(Object.keys(wanted).length).toBeGreaterThan(5)
  const { dependencies, devDependencies } = project
  expect({ ...dependencies, ...devDependencies }).toMatchObject(wanted)
})

/**
 * npm leaves out an optional package that does not fit the Node of npm, and people start with Node 20. A checkout brings its
 * own Node 24, so the lock file must not say what these packages need. After `npm install` of a new version, take
 * "engines" out of its entry again.
 */
it('lets npm under Node 20 install every optional part in a checkout', () => {
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> }
  const names = Object.keys(optionalDependencies)
  expect(names).toContain('isolated-vm')
  expect(names.filter((name) => packages[`node_modules/${name}`]?.engines?.node?.includes('>=2'))).toEqual([])
})
