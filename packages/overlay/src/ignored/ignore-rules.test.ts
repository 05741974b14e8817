import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorTime } from '../ports/processor-time.testkit.ts'
import { runs } from '../ports/test-size.testkit.ts'
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
    const rules = createIgnoreRules((of) => ruleFiles[of])
    const ignored = paths.filter((path) => rules.isIgnored(`/${path}`, false))
    expect(ignored.sort()).toEqual(ignoredByGit(folder))
    rmSync(folder, { recursive: true, force: true })
  })

  it('agree with git, whatever the rules are', () => {
    const part = fc.constantFrom(
      ...['a', 'b', 'ab', '/', '/', '*', '**/', '/**', '?', '[ab]', '[!a]', '[a-b]', '\\*', '\\a', '.', '{a,b}', ' '],
      ...['\\ ', '!', '#', '@(a)', '[[:lower:]]'],
    )
    const line = fc
      .tuple(
        fc.constantFrom('', '', '', '!', '/', '#', '\\!', '\\#'),
        fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
        fc.constantFrom('', '', '', '/', ' '),
      )
      .map((parts) => parts.join(''))
      // Git decides about `a**b` and `*//` by the addresses of its texts.
      .filter((rule) => !/[^/!]\*\*|\*\*[^/ ]|\/\//.test(rule))
    const text = fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => `${lines.join('\n')}\n`)
    const names = ['a', 'b', 'ab', 'aab', '.a', '{a,b}']
    const files = names.flatMap((top) => [
      `${top}1`,
      ...names.flatMap((name) => [`${top}/${name}1`, `${top}/${name}/a`]),
    ])
    const all = [...files, '*', 'a b', '!a', '#a', 'b ']
    const folder = mkdtempSync(join(tmpdir(), 'coppice-ignore-'))
    execFileSync('git', ['init', '-q', folder])
    for (const path of all) write(join(folder, path), '')
    fc.assert(
      fc.property(text, text, (top, below) => {
        write(join(folder, '.gitignore'), top)
        write(join(folder, 'a/.gitignore'), below)
        const rules = createIgnoreRules((of) => ({ '/': top, '/a': below })[of])
        const ignored = all.filter((path) => rules.isIgnored(`/${path}`, false)).sort()
        expect([top, below, ignored]).toEqual([top, below, ignoredByGit(folder)])
      }),
      { ...runs(100), seed: 20_261_122 },
    )
    rmSync(folder, { recursive: true, force: true })
  })

  /** Notices rules that are tried as regular expressions, which takes longer than anyone waits. */
  it('answer at once for rules and names that could be tried in endless ways', () => {
    const endless = ['*a', 'a/**/', '**/'].flatMap((part) =>
      [10, 30, 100, 1_000].map((times) => `${part.repeat(times)}b`),
    )
    const rules = createIgnoreRules((of) => (of === '/' ? `${endless.join('\n')}\n` : undefined))
    const taken = processorTime(() => {
      expect(rules.isIgnored(`/${'a'.repeat(250)}`, false)).toBe(false)
      expect(rules.isIgnored(`/${'a/'.repeat(200)}c`, false)).toBe(false)
    })
    expect(taken).toBeLessThan(5_000)
  })

  /** Notices a bound for each rule alone, without one for all rules of a file and of the files above it. */
  it.each([
    ['2,000 lines of stars', 2_000, `${'*a'.repeat(38)}b`, 1],
    ['10,000 lines of stars', 10_000, `${'*a'.repeat(38)}b`, 1],
    ['10,000 lines of single characters', 10_000, '?'.repeat(90), 1],
    ['a file in each of 100 folders', 100, `${'*a'.repeat(38)}b`, 100],
  ])('take few steps for all rules together: %s', (_, lines, line, depth) => {
    const work = { steps: 0 }
    const text = `${line}\n`.repeat(lines)
    const rules = createIgnoreRules((folder) => (folder.split('/').length <= depth + 1 ? text : undefined), work)
    const names = Array.from({ length: 10 }, (_, number) => `${number}${'a'.repeat(199)}`)
    const folder = '/d'.repeat(depth - 1)
    expect(names.some((name) => rules.isIgnored(`${folder}/${name}`, false))).toBe(false)
    expect(work.steps).toBeGreaterThan(0)
    expect(work.steps).toBeLessThanOrEqual((names.length * 201 + depth * 2) * 5_000)
  })

  it('look plain names, beginnings and endings up, however many there are, and the last line decides', () => {
    const work = { steps: 0 }
    const many = Array.from({ length: 3_000 }, (_, number) => `name${number}\n/at/path${number}/\n*.end${number}\n`)
    const text = `${many.join('')}start*\n!*.end7\n!/at/path8/\n!start-kept\n`
    const rules = createIgnoreRules((folder) => (folder === '/' ? text : undefined), work)
    const ignored = [
      '/x/name2999',
      '/at/path5/a',
      '/x.end6',
      '/b/started',
      '/x.end7',
      '/at/path8/a',
      '/start-kept',
      '/at/path5000/a',
    ]
    expect(ignored.map((path) => rules.isIgnored(path, false))).toEqual([
      ...[true, true, true, true, false, false, false, false],
    ])
    expect(work.steps).toBe(0)
  })

  it('still read plain names after the lines that take too long', () => {
    const text = `${`${'*a'.repeat(38)}b\n`.repeat(2_000)}a*c\nbuild/\n*.log\n`
    const rules = createIgnoreRules((folder) => (folder === '/' ? text : undefined))
    const paths = ['/build/x', '/x.log', '/abc', `/${'a'.repeat(50)}b`]
    expect(paths.map((path) => rules.isIgnored(path, false))).toEqual([true, true, false, true])
  })
})

/** The files that git ignores in a folder, sorted. */
function ignoredByGit(folder: string): readonly string[] {
  const listing = ['ls-files', '-z', '-o', '-i', '--exclude-standard']
  const listed = execFileSync('git', ['-c', 'core.excludesFile=/dev/null', ...listing], {
    cwd: folder,
    encoding: 'utf8',
  })
  return listed
    .split('\0')
    .filter((path) => path !== '' && !path.endsWith('.gitignore'))
    .sort()
}

function write(location: string, text: string): void {
  mkdirSync(dirname(location), { recursive: true })
  writeFileSync(location, text)
}
