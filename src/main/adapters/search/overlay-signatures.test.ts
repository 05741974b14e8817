import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '#core/ports/test-size.testkit.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createOverlaySignatures } from './overlay-signatures.ts'

const { signal } = new AbortController()
const plain = { context: 0, caseInsensitive: false, literal: true, multiline: false }

function overlayOf(texts: readonly Uint8Array[], onRead: () => void = () => undefined) {
  return texts.map((bytes, at) => ({
    path: `/${at}` as VirtualPath,
    hash: `${at}` as BlobHash,
    get bytes() {
      onRead()
      return bytes
    },
  }))
}

it('keeps each text that may match, whether it is new, seen once or known', async () => {
  const word = fc.constantFrom('needle', 'NEEDLE', 'nee', 'dle', 'Kelvin', '\u212aelvin', '\n', ' ')
  const text = fc.tuple(fc.array(word, { maxLength: 8 }), fc.constantFrom<BufferEncoding>('utf8', 'utf16le'))
  const query = fc.record({ pattern: fc.constantFrom('needle', 'kelvin', 'dle n'), caseInsensitive: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 6 }), fc.array(query, { maxLength: 4 }), async (given, queries) => {
      const contents = given.map(([words]) => words.join(''))
      const overlay = overlayOf(given.map(([, encoding], at) => encoded(contents[at] ?? '', encoding)))
      const signatures = createOverlaySignatures()
      for (const { pattern, caseInsensitive } of queries) {
        const expression = new RegExp(pattern, caseInsensitive ? 'iu' : 'u')
        const kept = await signatures.keepPossible(overlay, { ...plain, pattern, caseInsensitive }, signal)
        const paths = kept.map(({ path }) => path)
        for (const [at, content] of contents.entries()) if (expression.test(content)) expect(paths).toContain(`/${at}`)
      }
    }),
    runs(300, 5_000),
  )
})

it('leaves out texts without the pattern, and reads each at most twice', async () => {
  let reads = 0
  const texts = ['a needle', 'nothing at all', 'needless'].map((text) => Buffer.from(text))
  const overlay = overlayOf(texts, () => {
    reads += 1
  })
  const signatures = createOverlaySignatures()
  for (const pattern of ['needle', 'needle', 'thing', 'less']) {
    const kept = await signatures.keepPossible(overlay, { ...plain, pattern }, signal)
    const held = texts.flatMap((text, at) => (text.includes(pattern) ? [`/${at}`] : []))
    expect(kept.map(({ path }) => path)).toEqual(held)
  }
  expect(reads).toBe(2 * texts.length)
})

/** UTF-16 as the engine knows it: by its first two bytes. */
function encoded(text: string, encoding: BufferEncoding): Buffer {
  return Buffer.from(encoding === 'utf16le' ? `\ufeff${text}` : text, encoding)
}
