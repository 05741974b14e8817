import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, testTextMerge } from '#overlay/testkit'
import { escapeControls } from '#shared/text/control-characters.ts'
import type { FileVersion } from '../ports/git-delivery.ts'
import { describeCommits } from './describe-commits.ts'
import { readMessages } from './read-messages.ts'

const file = (text: string): FileVersion => ({ mode: '100644', id: text, bytes: bytes(text) })
const commit = (message: string, files: Readonly<Record<string, FileVersion | null>>) => ({
  message: `${message}\n`,
  files: new Map(Object.entries(files)),
})

describe('commits for a model', () => {
  it('have their files with the lines of each, one commit after the other, and those of all repositories', async () => {
    const base = new Map([['a', file('1\n2\n')]])
    const own = [commit('one', { a: file('1\ntwo\n3\n') }), commit('two', { a: null, b: file('x\n') })]
    const inner = [commit('one', { c: file('y\n') })]
    const all = [
      { repository: 'sub', commits: inner, base: new Map() },
      { repository: '', commits: own, base },
    ]
    expect(await describeCommits(all, testTextMerge)).toBe(
      [
        '### {"commit":1,"planned":"one","files":[{"file":"sub/c","change":"new","added":1,"removed":0},{"file":"a","change":"changed","added":2,"removed":1}]}',
        ...['=== {"file":"sub/c"}', '@@ -0,0 +1 @@', '+y'],
        ...['=== {"file":"a"}', '@@ -1,2 +1,3 @@', ' 1', '-2', '+two', '+3', ''],
        '### {"commit":2,"planned":"two","files":[{"file":"a","change":"deleted","added":0,"removed":3},{"file":"b","change":"new","added":1,"removed":0}]}',
        ...['=== {"file":"a"}', '@@ -1,3 +0,0 @@', '-1', '-two', '-3'],
        ...['=== {"file":"b"}', '@@ -0,0 +1 @@', '+x'],
      ].join('\n'),
    )
  })

  // Mutation: without `isSecret`, or without `redact`, one of the secrets is there.
  it('say nothing that may be a secret, before or after', async () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'abcd\n'.repeat(40)}-----END PRIVATE KEY-----\n`
    const token = `ghp_${'a1'.repeat(18)}`
    const one = commit('m', {
      '.env': file('DB_PASSWORD=hunter2hunter2\n'),
      'k.txt': file(key.replace('abcd', 'abce')),
      'src/a.ts': file(`const t = "${token}"\nconst b = 1\n`),
    })
    const base = new Map([['k.txt', file(key)]])
    const text = await describeCommits([{ repository: '', commits: [one], base }], testTextMerge)
    for (const secret of ['hunter2', 'abcd', 'abce', token]) expect(text).not.toContain(secret)
    expect(text).toContain('.env')
  })

  it('fit into a request, however much changed', async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at}\n`).join('')
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, file(`${at}\n${lines}`)]))
    const text = await describeCommits(
      [{ repository: '', commits: [commit('m', files)], base: new Map() }],
      testTextMerge,
    )
    expect(text.length).toBeLessThan(60_000)
    expect(text).toContain('"filesNotShown":200')
    expect(text).toContain('\n… cut')
  })
})

describe('an answer', () => {
  const answer = (...messages: readonly unknown[]) => JSON.stringify({ messages })

  it('is a list of messages, also in a block of code', () => {
    const said = `Here:\n\`\`\`json\n${answer('Fix it.', `Add b\n\nWhy it ${'is so '.repeat(20)}\n- a\n- b`)}\n\`\`\``
    expect(readMessages(said, 2)).toEqual([
      'Fix it.',
      `Add b\n\nWhy it${' is so'.repeat(11)}\n${'is so '.repeat(9).trim()}\n- a\n- b`,
    ])
  })

  it.each([
    ['', 1],
    ['no', 1],
    ['{"messages": "x"}', 1],
    [answer('a'), 2],
    [answer('a', 'b'), 1],
    [answer(' \n '), 1],
    [answer('Signed-off-by: Me <m@e>'), 1],
    [answer(7), 1],
    ['['.repeat(100_000), 1],
    [`{${'{"a":'.repeat(100_000)}}`, 1],
  ])('is of no use without one message for each commit (%#)', (said, count) =>
    expect(readMessages(said, count)).toBeNull(),
  )

  it('signs for nobody', () => {
    const said = answer('Add a\n\nWhy.\n\nSigned-off-by: P <p@x>\nco-authored-by: Q <q@x>\n Coppice-Thread: 1')
    expect(readMessages(said, 1)).toEqual(['Add a\n\nWhy.'])
  })

  // Mutation: without `escapeControls`, a body has what a terminal obeys.
  it('is short, wrapped and of visible characters, whatever a model says', () => {
    const word = fc.constantFrom(
      'a',
      'word',
      ' ',
      '  ',
      '\n',
      '\r\n',
      '\u0000',
      '\u001b[2J',
      '\u202e',
      '\u2028',
      '- ',
      '\t',
      '👩',
      'é',
      'x'.repeat(90),
    )
    const message = fc.array(word, { maxLength: 120 }).map((words) => words.join(''))
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 4 }), (messages) => {
        const read = readMessages(answer(...messages), messages.length)
        for (const one of read ?? []) {
          const [subject = '', blank = '', ...body] = one.split('\n')
          expect(subject.length).toBeLessThanOrEqual(72)
          expect([subject.trim(), blank, one.length <= 4_100]).toEqual([subject, '', true])
          expect(subject).not.toBe('')
          expect(escapeControls(one).replaceAll('\t', '')).toBe(one)
          for (const line of body) if (line.length > 72) expect(line.trim().replace(/^- /, '')).not.toContain(' ')
        }
        expect(read === null).toBe(messages.some((one) => one.trim() === ''))
      }),
      { numRuns: 200 },
    )
  })
})
