import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostOf, namesHost } from './web-address.ts'

describe('the host that rules judge', () => {
  it.each([
    ['https://docs.example', 'docs.example'],
    ['https://Docs.Example/a?b#c', 'docs.example'],
    ['HTTPS://docs.example:443/', 'docs.example'],
    ['http://docs.example:443/', 'docs.example:443'],
    ['http://127.0.0.1:8080/x', '127.0.0.1:8080'],
    ['http://[::1]:80/', '[::1]'],
  ])('of %s is %s', (address, host) => {
    expect(hostOf(address)).toBe(host)
  })

  it.each([
    ...[
      'docs.example',
      '//docs.example',
      'ftp://docs.example/',
      'file:///etc/passwd',
      'https://',
      'https:///docs.example',
    ],
    ...['https://me@docs.example/', 'https://me:secret@docs.example/', 'https://docs.example@other.example/'],
    ...[
      'https://docs.example\\@other.example/',
      'https://docs.example./',
      'https://dócs.example/',
      'https://docs。example/',
    ],
    ...['https://docs.example /x', 'https://docs.example/x y', ' https://docs.example', 'https://docs.example\t/'],
    ...[
      'https://docs.example%2eother/',
      'https://docs.example:80:80/',
      'https://docs.example/\n',
      'https://docs.example:',
    ],
  ])('of %j cannot be told', (address) => {
    expect(hostOf(address)).toBe('')
  })

  // What rules judged must be what is asked.
  it('is the one that programs ask, where they ask any', () => {
    const part = fc.constantFrom(
      ...[
        'https://',
        'http://',
        'docs.example',
        'other.example',
        '127.0.0.1',
        '0x7f.1',
        '2130706433',
        '[::1]',
        '@',
        ':',
        '443',
      ],
      ...['80', '/', '\\', '?', '#', '.', '%2e', 'a', 'ß', '。', ' ', '\t', '\n', '..'],
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = `https://${parts.join('')}`
        const [host, url] = [hostOf(text), URL.parse(text)]
        // A number in another form is read otherwise by programs; the reader of pages compares and refuses it.
        if (host === '' || url === null || hostOf(url.href) !== host) return
        expect(url.username + url.password).toBe('')
        expect(url.host).toBe(host)
      }),
    )
  })
})

describe('a pattern', () => {
  it.each([
    ['docs.example', 'docs.example', true],
    ['domain:docs.example', 'docs.example', true],
    ['Docs.Example', 'docs.example', true],
    ['docs.example', 'a.docs.example', false],
    ['docs.example', 'mydocs.example', false],
    ['docs.example', 'docs.example.org', false],
    ['*.docs.example', 'a.b.docs.example', true],
    ['*.docs.example', 'docs.example', false],
    ['*', 'any.example', true],
    ['*', '', false],
    ['docs.example', 'docs.example:8080', false],
    ['docs.example:8080', 'docs.example:8080', true],
    ['docs.example:8080', 'docs.example', false],
    ['[::1]', '[::1]', true],
  ])('%s allows %s: %s', (pattern, host, fits) => {
    expect(namesHost(pattern, host, false)).toBe(fits)
  })

  it('without a port holds back every port', () => {
    expect(namesHost('docs.example', 'docs.example:8080', true)).toBe(true)
  })

  // Mutation: without `isUsual`, a rule that denies `docs.example:443` denies nothing, because a host never has that port.
  it.each([
    ['docs.example:443', 'docs.example', true],
    ['*.example:80', 'docs.example', true],
    ['docs.example:443', 'docs.example:8080', false],
    ['docs.example:8080', 'docs.example', false],
  ])('%s holds back %s: %s', (pattern, host, fits) => {
    expect(namesHost(pattern, host, true)).toBe(fits)
  })
})
