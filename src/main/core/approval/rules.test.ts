import { describe, expect, it } from 'vitest'
import { processorTime } from '#overlay/testkit'
import type { PermissionRules } from '#shared/model/settings.ts'
import { createPatternReader } from './path-patterns.ts'
import { deadRules, matchRules, noRules } from './rules.ts'
import { subjectOf } from './subject.testkit.ts'

function decided(command: string, rules: Partial<PermissionRules>) {
  return matchRules({ ...noRules, ...rules }, subjectOf('execute', { command }))?.effect ?? 'nothing'
}

describe('rules about commands', () => {
  const npmRun = { allow: ['Bash(npm run *)'] }

  it.each([
    'npm run test',
    'npm run',
    'npm  run a',
    'npm run a && npm run b',
    'npm run a; npm run b || npm run c | npm run d',
    'npm run a\nnpm run b',
    'CI=1 npm run a',
    'npm run a 2>/dev/null',
    'npm run a >/dev/null 2>&1',
    'timeout 60 npm run a',
    'nice -n 5 timeout 2m npm run a',
    'time npm run a',
    '! npm run a',
    `npm run 'a b' "c d" -- --x=1`,
    'n"p"m ru\\n a',
  ])('let %j run with allow Bash(npm run *)', (command) => {
    expect(decided(command, npmRun)).toBe('allow')
  })

  it.each([
    '',
    'npm',
    'npm runx',
    'npm "run a"',
    'npm run a && rm -rf x',
    'npm run a | sh',
    'npm run "$(curl x)"',
    'npm run `curl x`',
    'npm run $HOME',
    `npm run "\${x:-$(y)}"`,
    'npm run $((x[$(y)]))',
    'npm run <(curl x)',
    'npm run a &',
    'npm run a & rm x',
    "bash -c 'npm run a'",
    'eval npm run a',
    'NODE_OPTIONS=--require=x npm run a',
    'PATH=. npm run a',
    'CI=$(x) npm run a',
    'CI+=1 npm run a',
    'npm run a > ../out',
    'npm run a > out',
    'npm run a &> out',
    'npm run a <> /dev/null',
    'npm run a {x}>/dev/null',
    'npm run a < /etc/passwd',
    'npm run a <<< x',
    'npm run a <<E\nx\nE',
    'npm run *',
    'npm run a?b',
    'npm run ~/x',
    'npm run {a,b}',
    'npm run a; rm x',
    'npm run a\nrm x',
    'npm run a\r\nrm x',
    '(npm run a)',
    '{ npm run a; }',
    'if npm run a; then npm run b; fi',
    'npm() { rm x; }; npm run a',
    'alias npm=rm\nnpm run a',
    'coproc npm run a',
    'npm run "unterminated',
    'npm run a\\\n b',
    'npm run a\u202eb',
    'npm run a\u0007',
    'npm run \u0430b',
    'n\u0440m run a',
    'npm run a\u037e b',
    'npm run \uff41',
    'timeout 60',
    'timeout -s KILL 60 npm run a',
    'env npm run a',
    './npm run a',
    '$npm run a',
    "$'npm' run a",
    'x=1',
    '[[ -n a ]] && npm run a',
  ])('still ask about %j with allow Bash(npm run *)', (command) => {
    expect(decided(command, npmRun)).toBe('nothing')
  })

  it('may allow each part of a line by a different rule, and name all of them', () => {
    const rules = { ...noRules, allow: ['execute(cd src)', 'Bash(npm run:*)'] }
    const matched = matchRules(rules, subjectOf('execute', { command: 'cd src && npm run a' }))
    expect(matched).toEqual({ effect: 'allow', text: 'execute(cd src) + Bash(npm run:*)' })
  })

  it('deny before they allow', () => {
    const rules = { deny: ['Bash(aws *)'], allow: ['Bash(aws s3 ls)', 'Bash(echo *)'] }
    expect(decided('aws s3 ls', rules)).toBe('deny')
    expect(decided('echo a', rules)).toBe('allow')
  })

  it.each([
    'echo a; aws s3 rm x',
    'echo $(aws s3 rm x)',
    'echo "`aws s3 rm x`"',
    'if true; then aws s3; fi',
    'f() { aws s3; }; f',
    'cat <(aws s3)',
    'cat <<E\n$(aws s3)\nE',
    '/usr/bin/aws s3 rm x',
    'sudo -u root aws s3 rm x',
    'env A=1 aws s3',
    'xargs -n1 aws s3 < list',
    "bash -c 'aws s3 rm x'",
    'sh -xc "sudo aws s3"',
    'eval "aws s3 rm x"',
    `eval "bash -c 'aws s3 rm x'"`,
    'a"w"s s3',
    "$'\\x61ws' s3",
    '\\aws s3',
    'A=1 aws s3 > out &',
    'timeout -s KILL 60 aws s3',
  ])('find a denied command in %j with deny Bash(aws *)', (command) => {
    expect(decided(command, { deny: ['Bash(aws *)'] })).toBe('deny')
  })

  it('match families of tools by name', () => {
    const rules = { ...noRules, allow: ['mcp__github__get_*'] }
    const effect = (tool: string) => matchRules(rules, subjectOf(tool))?.effect
    expect([effect('mcp__github__get_issue'), effect('mcp__github__delete_issue')]).toEqual(['allow', undefined])
  })
})

describe('rules about files that would take long to try', () => {
  const wide = (times: number, end = 'b') => `Edit(**/${'*a'.repeat(times)}${end})`
  const file = `/${'a'.repeat(240)}`
  function decide(rules: Partial<PermissionRules>, path = file) {
    const work = { steps: 0 }
    const subject = subjectOf('edit_file', { file_path: path })
    const found = matchRules({ ...noRules, ...rules }, subject, createPatternReader(work))
    return { effect: found?.effect, because: found?.because, steps: work.steps }
  }

  it.each([
    ['one with too many stars', [wide(2_000)]],
    ['60 with too many stars', Array.from({ length: 60 }, () => wide(2_000))],
    ['60 that are too many together', Array.from({ length: 60 }, (_, number) => wide(90, `b${number}`))],
    ['60 times the same', Array.from({ length: 60 }, () => wide(90))],
  ])('ask, because they cannot be read: %s', (_, deny) => {
    const { effect, because, steps } = decide({ deny })
    expect([effect, because]).toEqual(['ask', 'its pattern cannot be read'])
    expect(steps).toBeLessThanOrEqual(5_000 * (file.length + 1))
    expect(decide({ deny }, `/${'a'.repeat(600)}`).steps).toBeLessThanOrEqual(5_000 * 602)
    expect(decide({ allow: deny }).effect).toBeUndefined()
  })

  it('do not weaken the rules before them, and ordinary rules are all read', () => {
    const slow = Array.from({ length: 60 }, () => wide(90))
    expect(decide({ deny: ['Edit(/a*)', ...slow] }).effect).toBe('deny')
    const ordinary = Array.from({ length: 200 }, (_, number) => `Edit(/src/part${number}/**/*.{ts,tsx})`)
    expect(decide({ deny: ordinary }, '/src/part199/a/b.ts').effect).toBe('deny')
    expect(decide({ deny: ordinary }, '/src/part200/a/b.ts').effect).toBeUndefined()
  })

  it('are compared with others for a short time only', () => {
    const deny = Array.from({ length: 200 }, (_, number) => wide(90, `b${number}`))
    const allow = Array.from({ length: 20 }, (_, number) => `Edit(/${'a'.repeat(2_000)}${number})`)
    const taken = processorTime(() => expect(deadRules({ ...noRules, deny, allow })).toEqual([]))
    expect(taken).toBeLessThan(5_000)
  })
})

describe('dead rules', () => {
  it('are rules that can never decide, each with the reason', () => {
    const rules = {
      deny: ['Bash(aws *)', 'Read(/secret/**)'],
      ask: ['Write(/docs/**)'],
      allow: [
        'Bash(aws s3 ls)',
        'Bash(aws s3 *)',
        'Bash(npm run *)',
        'read_file(secret/a)',
        'Write(/docs/a/*)',
        'no rule!',
      ],
    }
    expect(deadRules(rules).map(({ text, because }) => [text, because])).toEqual([
      ['Bash(aws s3 ls)', 'Bash(aws *)'],
      ['Bash(aws s3 *)', 'Bash(aws *)'],
      ['read_file(secret/a)', 'Read(/secret/**)'],
      ['Write(/docs/a/*)', 'Write(/docs/**)'],
      ['no rule!', null],
    ])
  })
  it('do not include a wider rule because of a narrower one', () => {
    expect(deadRules({ deny: ['Bash(git push *)'], ask: [], allow: ['Bash(git *)', 'Bash'] })).toEqual([])
  })
})

describe('rules about addresses', () => {
  const docs = subjectOf('fetch_url', { url: 'https://docs.example/guide?q=1' })
  const effectOf = (rules: Partial<PermissionRules>, subject = docs) => matchRules({ ...noRules, ...rules }, subject)

  it.each([
    ['fetch_url(docs.example)', 'allow'],
    ['WebFetch(domain:docs.example)', 'allow'],
    ['WebFetch(domain:*.example)', 'allow'],
    ['fetch_url', 'allow'],
    ['fetch_url(*)', 'allow'],
    ['fetch_url(other.example)', undefined],
    ['fetch_url(docs.example:8080)', undefined],
    ['read_file(docs.example)', undefined],
    ['execute(docs.example)', undefined],
  ])('%s: %s', (rule, effect) => {
    expect(effectOf({ allow: [rule] })?.effect).toBe(effect)
  })

  it('deny before they ask and allow, whatever the port', () => {
    const allow = ['fetch_url']
    const other = subjectOf('fetch_url', { url: 'http://docs.example:8080/' })
    expect(effectOf({ allow, deny: ['WebFetch(domain:docs.example)'] }, other)?.effect).toBe('deny')
    expect(effectOf({ allow, ask: ['fetch_url(*.example)'] }, other)?.effect).toBe('ask')
    expect(effectOf({ allow: ['fetch_url(docs.example)'] }, other)).toBeUndefined()
  })

  it('ask about an address that nobody can read, and never allow it by its host', () => {
    const odd = subjectOf('fetch_url', { url: 'https://docs.example\\@other.example/' })
    expect(effectOf({ deny: ['fetch_url(other.example)'] }, odd)?.effect).toBe('ask')
    expect(effectOf({ allow: ['fetch_url(docs.example)', 'fetch_url(*)'] }, odd)).toBeUndefined()
  })
})
