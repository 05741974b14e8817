import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testDeflate } from '../tree/tree-fixtures.testkit.ts'
import { applyPatchTo, PatchApplyError } from './apply-patch.ts'
import { decodeLines, encodeLines } from './base85.ts'
import { type PatchSide, quoteName, readName } from './patch-file.ts'
import { PatchSyntaxError, readPatch } from './read-patch.ts'

const pace = () => undefined
const bytes = (text: string) => new TextEncoder().encode(text)
const text = (content: Uint8Array) => new TextDecoder().decode(content)
const side = (content: string, mode: PatchSide['mode'] = '100644'): PatchSide => ({ mode, bytes: bytes(content) })

/** The files after the patch, or the message of the error. */
async function applied(files: Readonly<Record<string, PatchSide>>, patch: string) {
  try {
    const result = await applyPatchTo(
      new Map(Object.entries(files)),
      await readPatch(bytes(patch), pace),
      testDeflate,
      pace,
    )
    return Object.fromEntries([...result].map(([path, { mode, bytes: content }]) => [path, `${mode} ${text(content)}`]))
  } catch (error) {
    if (error instanceof PatchApplyError || error instanceof PatchSyntaxError) return error.message
    throw error
  }
}
const changing = (hunk: string) => `diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n${hunk}`

describe('a patch that is applied', () => {
  it.each<[string, string, string, string]>([
    ['a changed line', 'a\nb\nc\n', '@@ -2 +2 @@\n-b\n+B\n', 'a\nB\nc\n'],
    ['a line at the start', 'a\n', '@@ -0,0 +1 @@\n+first\n', 'first\na\n'],
    ['a line at the end', 'a\n', '@@ -1,0 +2 @@\n+last\n', 'a\nlast\n'],
    ['a removed last line', 'a\nb\n', '@@ -2 +1,0 @@\n-b\n', 'a\n'],
    ['an added final newline', 'a', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n', 'a\n'],
    ['a removed final newline', 'a\n', '@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n', 'a'],
    ['CRLF', 'a\r\nb\r\n', '@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n', 'a\r\nB\r\n'],
    ['two hunks', '1\n2\n3\n4\n5\n', '@@ -1 +1 @@\n-1\n+one\n@@ -5 +5 @@\n-5\n+five\n', 'one\n2\n3\n4\nfive\n'],
  ])('makes %s', async (_, before, hunk, after) => {
    expect(await applied({ f: side(before) }, changing(hunk))).toEqual({ f: `100644 ${after}` })
  })

  it('changes modes, deletes, makes and renames', async () => {
    const patch = [
      'diff --git a/run b/run\nold mode 100644\nnew mode 100755\n',
      'diff --git a/gone b/gone\ndeleted file mode 100644\nindex 1..0\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n',
      'diff --git a/new b/new\nnew file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+run\n\\ No newline at end of file\n',
      'diff --git a/from b/to\nsimilarity index 100%\nrename from from\nrename to to\n',
    ].join('')
    expect(await applied({ run: side('#!\n'), gone: side('g\n'), from: side('same\n', '100755') }, patch)).toEqual({
      run: '100755 #!\n',
      new: '120000 run',
      to: '100755 same\n',
    })
  })

  it.each<[string, string, RegExp]>([
    ['another line', '@@ -2 +2 @@\n-x\n+B\n', /^f: line 2 is not as the patch says\./],
    ['a missing line', '@@ -9 +9 @@\n-b\n+B\n', /^f: it has no line 9\./],
    ['hunks that overlap', '@@ -2 +2 @@\n-b\n+B\n@@ -2 +2 @@\n-b\n+B\n', /^f: its hunks overlap\./],
    ['a hunk beyond the end', '@@ -9,0 +10 @@\n+x\n', /^f: it has no line 9\./],
  ])('fits exactly or not at all: %s', async (_, hunk, message) => {
    expect(await applied({ f: side('a\nb\nc\n') }, changing(hunk))).toMatch(message)
  })

  it('refuses a missing file, and a new file that already exists', async () => {
    expect(await applied({}, changing('@@ -1 +1 @@\n-a\n+b\n'))).toBe('f: it is not there.')
    const made = 'diff --git a/f b/f\nnew file mode 100644\nindex 0..1\n'
    expect(await applied({ f: side('') }, made)).toBe('f: it is already there.')
  })
})

describe('a patch that is read', () => {
  it.each<[string, string]>([
    ['hello\n', 'Line 1 of the patch: a file must begin with "diff --git".'],
    [changing('@@ -x +1 @@\n'), 'Line 5 of the patch: a hunk’s range cannot be read.'],
    [changing('@@ -1,2 +1 @@\n-a\n'), 'Line 6 of the patch: it ends too early.'],
    [changing('@@ -1 +1 @@\n*a\n'), 'Line 6 of the patch: a line of a hunk has no sign.'],
    ['diff --git a/f b/f\nold mode 160000\n', 'Line 1 of the patch: the mode 160000 cannot be carried.'],
    ['diff --git a/f b/f\n--- a/f\n', 'Line 2 of the patch: "+++" is missing.'],
    ['diff --git a/f b/f\n--- f\n+++ b/f\n', 'Line 2 of the patch: a name must begin with a/.'],
    ['diff --git a/f b/f\nGIT binary patch\ndelta 5\n', 'Line 3 of the patch: only literal binary patches are read.'],
  ])('names the first line that does not belong: %j', async (patch, message) => {
    expect(await applied({}, patch)).toBe(message)
  })

  it('is empty for an empty text', async () => {
    expect(await readPatch(bytes(''), pace)).toEqual([])
  })

  it('is either read or refused, whatever it contains, and never breaks the reader', async () => {
    const lines = fc.constantFrom(
      'diff --git a/f b/f',
      'diff --git "a/\\303\\244" b/f',
      'diff --git ',
      'index 1..2 100644',
      'old mode 100644',
      'new mode 120000',
      'rename from "x',
      'rename to y',
      '--- a/f',
      '+++ b/f',
      '+++ /dev/null',
      '@@ -1 +1 @@',
      '@@ -0,0 +1,99999999 @@',
      '-a',
      '+b',
      ' c',
      '\\ No newline at end of file',
      'GIT binary patch',
      'literal 3',
      'Kc$@',
      '',
    )
    const property = fc.asyncProperty(fc.array(lines, { maxLength: 14 }), async (given) => {
      const error = await readPatch(bytes(given.join('\n')), pace).then(
        () => null,
        (problem: unknown) => problem,
      )
      if (error !== null) expect(error).toBeInstanceOf(PatchSyntaxError)
    })
    await fc.assert(property, { numRuns: 500 })
  })
})

describe('the parts of a patch', () => {
  it('read any name as it was quoted', () => {
    const piece = fc.constantFrom(
      'a',
      '/',
      ' ',
      '"',
      '\\',
      '\n',
      '\t',
      '\u0001',
      '\u007f',
      'é',
      '日',
      '\u{1f600}',
      '101',
    )
    const property = fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (parts) => {
      const name = parts.join('')
      const written = quoteName(name)
      expect(written).not.toMatch(/[\n\t]/)
      expect([name, String.fromCharCode(...bytes(name))]).toContain(readName(written)?.name)
    })
    fc.assert(property, { numRuns: 300 })
  })

  it.each([['z'], ['Az'], ['A0000'], ['A~~~~~'], ['B\u00e9'], ['']])('refuse the binary line %j', (line) => {
    expect(() => decodeLines([line])).toThrow(RangeError)
  })

  it('return bytes of every length unchanged', () => {
    for (let length = 0; length < 120; length += 1) {
      const content = Uint8Array.from({ length }, (_, index) => (index * 37 + length) % 256)
      expect([...decodeLines(encodeLines(content))]).toEqual([...content])
    }
  })
})
