import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createIgnoreRules } from './ignore-rules.ts'

const ruleFiles: Record<string, string> = {
  '/': '*.log\n/build\n!keep.log\nnode_modules/\ndocs/**/*.tmp\n\\#odd\n# comment\ntrailing   \nvendor\n',
  '/sub': '!again.log\nonly-here\n/deep/*\n!/deep/kept\n',
  '/back': '!vendor\n\\!odd\nwith/slash\nspace \n',
  '/odd [name]!': 'own\n',
}
const paths = [
  'a.log',
  'keep.log',
  'sub/again.log',
  'sub/x.log',
  'build/out.js',
  'sub/build/out.js',
  'node_modules/p/index.js',
  'sub/node_modules/p/keep.log',
  'docs/a/b.tmp',
  'docs/b.tmp',
  'b.tmp',
  '#odd',
  'trailing',
  'only-here',
  'sub/only-here',
  'sub/deep/x',
  'sub/deep/kept',
  'plain.ts',
  'A.LOG',
  'Build/out.js',
  'vendor/x',
  'back/vendor/x',
  'back/vendor/deep/x',
  'back/deep/vendor/x',
  'back/!odd',
  'back/with/slash',
  'back/deep/with/slash',
  'back/space',
  'odd [name]!/own',
  'odd [name]!/deep/own',
  'odd n/own',
]

describe('ignore rules', () => {
  it('agree with git on every path', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-ignore-'))
    execFileSync('git', ['init', '-q', folder])
    for (const [of, text] of Object.entries(ruleFiles)) write(join(folder, of, '.gitignore'), text)
    for (const path of paths) write(join(folder, path), '')
    const listed = execFileSync(
      'git',
      ['-c', 'core.excludesFile=/dev/null', 'ls-files', '-o', '-i', '--exclude-standard'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    )
    const rules = createIgnoreRules((of) => ruleFiles[of])
    const ignored = paths.filter((path) => rules.isIgnored(`/${path}`, false))
    expect(ignored.sort()).toEqual(
      listed
        .trimEnd()
        .split('\n')
        .map((path) => path.replaceAll('"', ''))
        .sort(),
    )
    rmSync(folder, { recursive: true, force: true })
  })
})

function write(location: string, text: string): void {
  mkdirSync(dirname(location), { recursive: true })
  writeFileSync(location, text)
}
