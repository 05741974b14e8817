import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type JudgedEffects, matchEffects, parseEffectsRule, proposeEffectsRules } from './effects-rules.ts'
import { deadRules, noRules } from './rules.ts'

const effects = (paths: readonly string[], differs: Partial<JudgedEffects> = {}): JudgedEffects => ({
  paths: paths as readonly VirtualPath[],
  files: paths.length,
  ...{ unnamed: [], folders: [] },
  deletions: 0,
  wasRefusedHosts: false,
  showsSecrets: false,
  startsTasks: false,
  ...differs,
})
const decide = (rules: Partial<typeof noRules>, judged: JudgedEffects) =>
  matchEffects({ ...noRules, ...rules }, judged)?.effect

describe('a rule about effects', () => {
  it.each([
    ['Effects(src/**, ≤ 20 files, no deletions)', { patterns: ['src/**'], mostFiles: 20, allowsDeletions: false }],
    ['effects(<= 1 file)', { patterns: [], mostFiles: 1, allowsDeletions: true }],
    ['Effects(no changes)', { patterns: [], mostFiles: 0, allowsDeletions: true }],
    [
      'Effects({src,test}/**, /package.json)',
      { patterns: ['{src,test}/**', '/package.json'], mostFiles: null, allowsDeletions: true },
    ],
  ])('%s is read', (text, rule) => {
    expect(parseEffectsRule(text)).toEqual(rule)
  })

  it.each(['Effects(src/**, lots of files)', 'Effects(nothing)', 'Effects', 'execute(src/**)'])(
    '%s is none',
    (text) => {
      expect(parseEffectsRule(text)).toBeUndefined()
    },
  )

  it('that nobody can read is reported with the rules', () => {
    expect(deadRules({ ...noRules, allow: ['Effects(a few files)', 'Effects(src/**)'] })).toEqual([
      { effect: 'allow', text: 'Effects(a few files)', because: null },
    ])
  })

  it('allows only what stays within every part of it', () => {
    const allow = ['Effects(src/**, ≤ 2 files, no deletions)']
    expect(decide({ allow }, effects(['/src/a', '/src/deep/b']))).toBe('allow')
    expect(decide({ allow }, effects(['/src/a', '/b']))).toBeUndefined()
    expect(decide({ allow }, effects(['/src/1', '/src/2', '/src/3']))).toBeUndefined()
    expect(decide({ allow }, effects(['/src/a'], { deletions: 1 }))).toBeUndefined()
    expect(decide({ allow }, effects(['/src/a'], { wasRefusedHosts: true }))).toBeUndefined()
    expect(decide({ allow }, effects(['/src/a'], { showsSecrets: true }))).toBeUndefined()
  })

  it('denies or asks about any change that fits, and about what goes beyond a limit', () => {
    expect(decide({ deny: ['Effects(migrations/**)'] }, effects(['/src/a', '/migrations/1']))).toBe('deny')
    expect(decide({ deny: ['Effects(migrations/**)'] }, effects(['/src/a']))).toBeUndefined()
    expect(decide({ ask: ['Effects(≤ 1 file)'] }, effects(['/a', '/b']))).toBe('ask')
    expect(decide({ ask: ['Effects(no deletions)'] }, effects(['/a'], { deletions: 1 }))).toBe('ask')
    expect(decide({ ask: ['Effects(no deletions)'] }, effects(['/a']))).toBeUndefined()
  })

  it('that asks and cannot be read asks about everything', () => {
    expect(decide({ ask: ['Effects(what ever)'], allow: ['Effects(src/**)'] }, effects(['/src/a']))).toBe('ask')
  })
})

describe('proposed rules', () => {
  it('name the folders and a round number of files, then only the number', () => {
    expect(proposeEffectsRules(effects(['/src/a', '/src/b', '/package.json']))).toEqual([
      'Effects(/package.json, src/**, ≤ 5 files, no deletions)',
      'Effects(≤ 5 files, no deletions)',
    ])
    expect(proposeEffectsRules(effects([]))).toEqual(['Effects(no changes)'])
    expect(proposeEffectsRules(effects(['/a/1', '/b/1', '/c/1', '/d/1'], { deletions: 1 }))).toEqual([
      'Effects(≤ 5 files)',
    ])
  })

  it('always keep what they were made from', () => {
    for (const judged of [effects(['/x y/a,b']), effects(['/{a}/b']), effects(['/a', '/b/c'], { deletions: 1 })])
      for (const rule of proposeEffectsRules(judged)) expect(decide({ allow: [rule] }, judged), rule).toBe('allow')
  })

  it('are none for what no rule keeps', () => {
    expect(proposeEffectsRules(effects(['/a'], { showsSecrets: true }))).toEqual([])
  })
})
