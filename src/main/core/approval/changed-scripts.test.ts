import { expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { changedScripts } from './changed-scripts.ts'

const changed = [
  '/package.json',
  '/scripts/build.sh',
  '/web/package.json',
  '/Makefile',
  '/a.js',
  '/notes.md',
] as VirtualPath[]

it.each([
  ['npm test', ['/package.json', '/web/package.json']],
  ['cd web && yarn run build', ['/package.json', '/web/package.json']],
  ['./scripts/build.sh --fast', ['/scripts/build.sh']],
  ['bash "scripts/build.sh"', ['/scripts/build.sh']],
  ['node a.js > /dev/null', ['/a.js']],
  ['make -j2 all', ['/Makefile']],
  ['/usr/bin/make', ['/Makefile']],
  ['git status', []],
  ['ls', []],
])('%s runs %j', (line, scripts) => {
  expect(changedScripts(line, changed)).toEqual(scripts)
})
