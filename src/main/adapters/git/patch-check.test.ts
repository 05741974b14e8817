import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPatchCheck } from './patch-check.ts'

const check = createPatchCheck(mkdtempSync(join(tmpdir(), 'coppice-git-'))).check
const encode = (text: string) => new TextEncoder().encode(text)
const base = [{ path: 'a b/file.txt', bytes: encode('one\ntwo\n'), mode: '100644' as const }]
const patch = (removed: string) =>
  encode(`diff --git a/a b/file.txt b/a b/file.txt
--- a/a b/file.txt\t
+++ b/a b/file.txt\t
@@ -1,2 +1,2 @@
 one
-${removed}
+three
`)

describe('patch check', () => {
  it('takes a patch that fits its base', async () => {
    expect(await check(patch('two'), base)).toEqual({ ran: true, ok: true, message: '' })
  })

  it('refuses a patch that does not fit, although the checkout around it would hide that', async () => {
    const answer = await check(patch('twenty'), base)
    expect(answer).toMatchObject({ ran: true, ok: false })
    expect(answer.message).toContain('patch')
  })
})
