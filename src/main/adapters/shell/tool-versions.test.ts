import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { askVersions, differingVersions, readVersions } from './tool-versions.ts'

let bin: string
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'coppice-versions-'))
})
afterEach(() => rmSync(bin, { recursive: true, force: true }))

function tool(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, name), 0o755)
}
const ask = (path = bin) =>
  readVersions(
    execFileSync('/bin/bash', ['--noprofile', '--norc', '-c', askVersions()], {
      env: { PATH: path },
      encoding: 'utf8',
    }),
  )

it('asks each tool on PATH for the first line that it says, wherever it says it', () => {
  tool('node', 'echo v24.1.0')
  tool('java', '[ "$1" = -version ] && printf \'openjdk 21\\nmore\\n\' >&2')
  tool('cargo', 'echo "error: no default is configured" >&2; exit 1')
  tool('go', 'exit 3')
  tool('yarn', 'echo "$COREPACK_ENABLE_NETWORK"; read -r line && echo "$line"')
  expect([...ask()].sort()).toEqual([
    ['cargo', 'error: no default is configured'],
    ['go', 'nothing, and exit code 3'],
    ['java', 'openjdk 21'],
    ['node', 'v24.1.0'],
    ['yarn', '0'],
  ])
})

it('names a tool that did not answer, and what it says is one line of plain text', () => {
  const said = 'node\nnode\t0\tv24\u001b[31m\u202e\ncargo\nunknown\t0\tx\n'
  expect([...readVersions(said)]).toEqual([
    ['node', 'v24\\u{001b}[31m\\u{202e}'],
    ['cargo', 'no answer in time'],
  ])
})

it('tells which tools differ, and those that a command does not find', () => {
  const outside = readVersions('node\t0\tv24\ncargo\t0\tcargo 1.90\ngo\t0\tgo 1.25')
  const inside = readVersions('node\t0\tv24\ncargo\t1\terror: no default\nphp\t0\tPHP 8')
  expect(differingVersions(outside, inside)).toEqual([
    'cargo: in your shell “cargo 1.90”, in a command “error: no default”',
    'go: in your shell “go 1.25”, in a command “not found”',
  ])
  expect(differingVersions(outside, outside)).toEqual([])
})
