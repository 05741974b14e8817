import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { judgedEffects, matchEffects, proposeEffectsRules } from '../approval/effects-rules.ts'
import { riskOfLeft } from '../approval/risk.ts'
import { noRules } from '../approval/rules.ts'
import type { LeftFile } from '../ports/branch-mounts.ts'
import { runs } from '../ports/test-size.testkit.ts'
import { describeLeft } from './left-behind.ts'

const wrote = (path: string, isProgram = false): LeftFile => ({ path, isGone: false, isProgram })
const kindOf = (path: string, isProgram = false) => describeLeft([wrote(path, isProgram)])?.files[0]?.kind

describe('what a command left', () => {
  it.each([
    ['hook', '/.git/hooks/post-commit', '/.GIT/Hooks/pre-push', '/sub/.git/hooks/x', '/.git/modules/lib/hooks/y'],
    [
      'setting',
      '/.git/config',
      '/.git/config.worktree',
      '/.git/info/attributes',
      '/lib/.git',
      '/.git/worktrees/w/gitdir',
    ],
    [
      'setting',
      '/.git/modules/lib/config',
      '/.git/objects/info/alternates',
      '~/.gitconfig',
      '~/.npmrc',
      '~/.ssh/config',
    ],
    [
      'start_file',
      '~/.bashrc',
      '~/.profile',
      '~/.bash_aliases',
      '~/.zshenv',
      '~/.bashrc.d/x',
      '~/.config/fish/config.fish',
    ],
    ['start_file', '~/.local/lib/python3/site-packages/usercustomize.py', '/venv/lib/site-packages/x.pth', '~/.vimrc'],
    ['program', '~/.local/bin/git', '/node_modules/.bin/vt', '/dist/lib.so.1', '/__pycache__/m.cpython-312.pyc'],
    ['file', '/node_modules/vt/index.js', '/dist/app.txt', '~/notes', '~/.cache/pip/http/a', '/.git/refs/heads/main'],
  ])('is a %s: %s, %s …', (kind, ...paths) => {
    expect(paths.map((path) => [path, kindOf(path)])).toEqual(paths.map((path) => [path, kind]))
  })

  it('is a program wherever it may be run', () => {
    expect(['/dist/tool', '~/.cache/x/tool', '~/.config/tool'].map((path) => kindOf(path, true))).toEqual(
      Array.from({ length: 3 }, () => 'program'),
    )
  })

  it('is nothing when git and npm only wrote down what they did', () => {
    const books = [
      '/.git/index',
      '/.git/index.lock',
      '/.git/objects/ab/cd',
      '/.git/objects/pack/p.pack',
      '/.git/logs/HEAD',
    ]
    const others = ['/.git/COMMIT_EDITMSG', '/sub/.git/index', '/.git/modules/lib/index', '~/.npm/_logs/x.log']
    expect(describeLeft([...books, ...others, '~/.python_history'].map((path) => wrote(path)))).toBeUndefined()
    expect(describeLeft([])).toBeUndefined()
  })

  const name = fc.constantFrom('a', 'b', '.git', 'hooks', '.bashrc', 'node_modules', '.bin', 'config', '.npm', 'x.pyc')
  const leftFile = fc.record({
    path: fc
      .tuple(fc.constantFrom('', '~'), fc.array(name, { minLength: 1, maxLength: 4 }), fc.nat(400))
      .map(([home, names, number]) => `${home}/${names.join('/')}${number}`),
    isGone: fc.boolean(),
    isProgram: fc.boolean(),
  })

  // Mutation: sort by kind alone, or leave the folders of files without a name out.
  it('has the first of each kind among the twenty of a card, counts all, and names the folder of each other file', () => {
    const property = fc.property(
      fc.uniqueArray(leftFile, { maxLength: 400, selector: ({ path }) => path, size: 'max' }),
      fc.constantFrom('~/.bashrc', '/.git/hooks/post-commit', '/.git/config'),
      (files, planted) => {
        const found = describeLeft([...files, wrote(planted)])
        const alone = files.filter((file) => describeLeft([file]))
        const names = found?.files.map(({ path }) => path) ?? []
        expect(found?.count).toBe(new Set(alone.map(({ path }) => path)).size + 1)
        const card = found?.files.slice(0, 20) ?? []
        const kinds = new Set([...alone, wrote(planted)].map((file) => describeLeft([file])?.files[0]?.kind))
        expect(new Set(card.map(({ kind }) => kind))).toEqual(kinds)
        const isTold = (path: string) =>
          names.includes(path) ||
          (found?.folders ?? []).some((folder) => folder === '/' || path.startsWith(`${folder}/`) || path === folder)
        expect(alone.filter(({ path }) => !isTold(path))).toEqual([])
      },
    )
    // The lists are long because the law is about long ones, so making them shorter finds nothing.
    fc.assert(property, { ...runs(100), endOnFailure: true })
  })
})

describe('rules about effects', () => {
  const effectsOf = (left: readonly LeftFile[], written: readonly string[] = []) => {
    const behind = describeLeft(left)
    return judgedEffects({
      ...{ exit_code: 0, output: '', hosts_refused: [], duration_ms: 1, ignored_changes: left.length, secrets: [] },
      changes: { written: written as readonly VirtualPath[], deleted: [], renamed: [] },
      ...(behind && { left_behind: behind }),
    })
  }
  const decide = (rules: Partial<typeof noRules>, ...given: Parameters<typeof effectsOf>) =>
    matchEffects({ ...noRules, ...rules }, effectsOf(...given))?.effect
  const hook = wrote('/.git/hooks/post-commit', true)
  const many = Array.from({ length: 1_000 }, (_, at) => wrote(`/node_modules/p${at}/index.js`))

  // Mutation: leave what was left out of `paths`, `files` or `deletions`.
  it('judge what it left as they judge files of the project', () => {
    expect(decide({ allow: ['Effects(no changes)'] }, [])).toBe('allow')
    expect(decide({ allow: ['Effects(no changes)'] }, [hook])).toBeUndefined()
    expect(decide({ allow: ['Effects(src/**)'] }, [wrote('/node_modules/.bin/vt')], ['/src/a'])).toBeUndefined()
    expect(decide({ allow: ['Effects(src/**, node_modules/**)'] }, [wrote('/node_modules/.bin/vt')], ['/src/a'])).toBe(
      'allow',
    )
    expect(decide({ allow: ['Effects(~/.cache/**)'] }, [wrote('~/.cache/x')])).toBe('allow')
    expect(decide({ allow: ['Effects(≤ 1 file)'] }, [wrote('/dist/a'), wrote('/dist/b')])).toBeUndefined()
    expect(decide({ allow: ['Effects(no deletions)'] }, [{ ...wrote('/dist/a'), isGone: true }])).toBeUndefined()
    expect(decide({ deny: ['Effects(.git/**)'] }, [hook])).toBe('deny')
    expect(decide({ ask: ['Effects(~/**)'] }, [wrote('~/.bashrc')])).toBe('ask')
  })

  it('allow what later commands run unnamed only by a pattern', () => {
    for (const one of [hook, wrote('~/.bashrc'), wrote('/.git/config')]) {
      expect(decide({ allow: ['Effects(≤ 5 files)'] }, [one]), one.path).toBeUndefined()
      expect(decide({ allow: ['Effects(**)'] }, [one]), one.path).toBe('allow')
    }
    expect(decide({ allow: ['Effects(≤ 5 files)'] }, [wrote('/dist/a')])).toBe('allow')
  })

  it('judge by their folder the files that are too many to have names', () => {
    expect(decide({ allow: ['Effects(node_modules/**)'] }, many)).toBe('allow')
    for (const allow of ['Effects(node_modules/p1*/**)', 'Effects(dist/**)', 'Effects(≤ 999 files)'])
      expect(decide({ allow: [allow] }, many), allow).toBeUndefined()
    expect(decide({ deny: ['Effects(node_modules/p999/**)'] }, many)).toBe('deny')
    expect(decide({ deny: ['Effects(migrations/**)'] }, many)).toBeUndefined()
  })

  // Mutation: take each pattern as it is in `holdsAll` or in `mayTouch`.
  it('read braces of a pattern as its choices, also where names are too many', () => {
    const both = [...many, ...Array.from({ length: 300 }, (_, at) => wrote(`/dist/${at}`))]
    for (const allow of ['Effects({node_modules,dist}/**)', 'Effects({d{ist,ust},node_{x,modules}}/**)'])
      expect(decide({ allow: [allow] }, both), allow).toBe('allow')
    expect(decide({ allow: ['Effects({node_modules,build}/**)'] }, both)).toBeUndefined()
    expect(decide({ deny: ['Effects({migrations,.github}/**)'] }, both)).toBeUndefined()
    expect(decide({ deny: ['Effects({migrations,dist}/**)'] }, both)).toBe('deny')
  })

  // Mutation: let `holdsAll` answer yes, or `mayTouch` no, where a part of the pattern is not plain.
  it('are never weaker where names are too many than where all are there', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      '{a,b}',
      '{a,{b,c}}',
      '*',
      '**',
      '{a,b',
      'a}',
      '[ab]',
      '\\{a,b\\}',
      '{}',
      '{a}',
    )
    const pattern = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join('/')}/**`)
    const folders = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'a/b', 'b/a', '{a,b}', '{}'), { minLength: 1 })
    fc.assert(
      fc.property(pattern, folders, (one, places) => {
        const few = places.map((place) => wrote(`/${place}/file`))
        const flood = places.flatMap((place) => Array.from({ length: 220 }, (_, at) => wrote(`/${place}/f${at}`)))
        const rule = [`Effects(${one})`]
        if (decide({ deny: rule }, few) === 'deny') expect(decide({ deny: rule }, flood)).toBe('deny')
        if (decide({ allow: rule }, flood) === 'allow') expect(decide({ allow: rule }, few)).toBe('allow')
      }),
      { numRuns: 200, seed: 39 },
    )
  })

  it('are proposed as they keep it, and never wider than its names', () => {
    for (const left of [[hook], many, [wrote('~/.cache/p/a'), wrote('~/.bashrc')], [wrote('/*/x'), wrote('/dist/')]])
      for (const rule of proposeEffectsRules(effectsOf(left)))
        expect(decide({ allow: [rule] }, left), rule).toBe('allow')
    expect(proposeEffectsRules(effectsOf([wrote('~/.cache/p/a'), wrote('~/.bashrc'), hook]))).toEqual([
      'Effects(/.git/hooks/post-commit, ~/.bashrc, ~/.cache/**, ≤ 5 files, no deletions)',
    ])
    expect(proposeEffectsRules(effectsOf([wrote('/*/x')]))).toEqual(['Effects(≤ 5 files, no deletions)'])
  })
})

it('makes the risk at least medium when later commands may run it', () => {
  const riskFor = (...files: readonly LeftFile[]) => riskOfLeft('low', describeLeft(files))
  expect(riskFor(wrote('/dist/a.txt'))).toEqual({})
  expect(riskFor({ ...wrote('~/.bashrc'), isGone: true })).toEqual({})
  expect(riskFor(wrote('/dist/a.txt'), wrote('/node_modules/.bin/vt'))).toEqual({
    risk: 'medium',
    riskReason: 'later commands may run what it left: /node_modules/.bin/vt and 1 more',
  })
  expect(riskOfLeft('high', describeLeft([wrote('~/.bashrc')]))).toEqual({})
})
