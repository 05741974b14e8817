import { describe, expect, it } from 'vitest'
import { addSection, findSection, firstVersion, nextVersion, writeSection } from './version-of.ts'

const commit = (subject: string, body = '') => ({ subject, body })

describe('the next version', () => {
  it.each([
    ['1.2.3', [commit('fix(window): a card closes')], '1.2.4'],
    ['1.2.3', [commit('perf: faster start')], '1.2.4'],
    ['1.2.3', [commit('fix: a'), commit('feat(cli): a verb')], '1.3.0'],
    ['1.2.3', [commit('feat: a'), commit('fix(contract)!: the exit code changes')], '2.0.0'],
    ['1.2.3', [commit('feat: a', 'Text.\n\nBREAKING CHANGE: settings move.')], '2.0.0'],
    ['1.2.3', [commit('docs: a page'), commit('Merge: names'), commit('test: one more')], null],
    ['1.2.3', [], null],
  ])('after %s with %j is %s', (last, commits, expected) => {
    expect(nextVersion(last, commits)).toBe(expected)
  })

  it('is the first one when there was no release', () => {
    expect(nextVersion(null, [commit('docs: a')])).toBe(firstVersion)
  })
})

describe('the changelog', () => {
  const section = writeSection('1.1.0', '2027-01-02', [
    commit('feat(cli): completion'),
    commit('fix: no crash'),
    commit('fix: no crash'),
    commit('refactor: names'),
    commit('feat!: new exit codes'),
  ])

  it('lists what people notice, once, and what needs their attention first', () => {
    expect(section).toBe(
      '## 1.1.0 – 2027-01-02\n\n### Changes that need your attention\n\n- new exit codes\n\n### New\n\n- **cli:** completion\n\n### Fixed\n\n- no crash\n',
    )
  })

  it('gets the newest section on top, and replaces one of the same version', () => {
    const [log, version] = ['# Changes\n\n## 1.1.0 – 2027\n\n- New.\n\n## 1.0.0 – 2026\n\n- Old.\n', '1.1.0']
    expect([findSection(log, version), findSection(log, '1.0')]).toEqual(['- New.', null])
    const first = addSection(null, '1.0.0', '## 1.0.0 – 2027-01-01\n\nThe first.\n')
    const second = addSection(first, '1.1.0', section)
    expect(second.indexOf('## 1.1.0')).toBeLessThan(second.indexOf('## 1.0.0'))
    expect(addSection(second, '1.1.0', section)).toBe(second)
  })
})
