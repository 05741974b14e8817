import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { programPlaces } from './program-places.ts'

function machine() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-programs-')))
  const put = (path: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '#!/bin/sh\n')
    chmodSync(join(root, path), 0o755)
  }
  for (const path of ['tools/plain', 'home/agent', 'npm/node_modules/agent/cli.js', 'project/bin/own']) put(path)
  mkdirSync(join(root, 'npm/node_modules/.bin'))
  symlinkSync('../agent/cli.js', join(root, 'npm/node_modules/.bin/agent'))
  symlinkSync('../npm/node_modules/.bin/agent', join(root, 'tools/linked'))
  const home = join(root, 'home')
  const around = { home, path: join(root, 'tools'), projects: [join(root, 'project')] }
  return (line: string) =>
    programPlaces(line.replaceAll('$ROOT', root), { ...around, isRefused: (place) => place === home }).map((place) =>
      place.slice(root.length + 1),
    )
}

it.each([
  ['a program of PATH', 'plain --acp', ['tools']],
  ['behind variables and in quotes', `A=1 B='x y' "$ROOT/tools/plain" acp`, ['tools']],
  ['a link into packages, with all that it needs', 'linked', ['tools', 'npm/node_modules']],
  ['a program of the packages', '$ROOT/npm/node_modules/.bin/agent', ['npm/node_modules']],
  ['alone, where its folder is the home', '~/agent', ['home/agent']],
  ['nothing of the project, which is a view', '$ROOT/project/bin/own', []],
  ['nothing for a program that is not there', 'missing --acp', []],
  ['nothing for no words', '  ', []],
])('shows %s', (_, line, places) => {
  expect(machine()(line)).toEqual(places)
})
