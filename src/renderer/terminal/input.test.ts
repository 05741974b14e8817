import { describe, expect, it } from 'vitest'
import { runsAtOnce, sanitisePaste } from './input.ts'

describe('pasted text', () => {
  it.each([
    ['echo hi', 'echo hi'],
    ['a\tb\r\nc\rd\n', 'a\tb\nc\nd\n'],
    ['ls\u001b[201~\nrm -rf x', 'ls[201~\nrm -rf x'],
    ['a\u0000\u0003\u0004\u0008b\u007f', 'ab'],
    ['\u009b201~x', '201~x'],
    ['naïve 漢字 😀', 'naïve 漢字 😀'],
  ])('%j becomes %j', (text, clean) => expect(sanitisePaste(text)).toBe(clean))

  it('needs a confirmation if a shell would run its lines at once', () => {
    expect([runsAtOnce('a\nb', false), runsAtOnce('a\nb', true), runsAtOnce('a', false)]).toEqual([true, false, false])
  })
})
