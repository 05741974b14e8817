import { deflateSync } from 'node:zlib'
import { applyPatchTo, PatchApplyError, PatchSyntaxError, readPatch } from '#overlay'
import { nodeDeflate } from '#overlay/node'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const base = new Map([['a', { mode: '100644' as const, bytes: Buffer.from('one\ntwo\nthree\n') }]])
const pace = () => undefined
const binary = deflateSync(Buffer.from('abcdefgh'))

export const patches: FuzzTarget = {
  name: 'patches',
  seeds: [
    'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    'diff --git a/b b/b\nnew file mode 100644\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n',
    'diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n',
    'diff --git a/a b/c\nsimilarity index 100%\nrename from a\nrename to c\n',
    'diff --git "a/\\303\\244" "b/\\303\\244"\nold mode 100644\nnew mode 100755\n',
    `diff --git a/d b/d\nnew file mode 100644\nGIT binary patch\nliteral ${binary.length}\nPcmZQ%fB*&t1^@s6\n\nliteral 0\nHcmV?d00001\n\n`,
    'diff --git a/d b/d\nnew file mode 100644\nGIT binary patch\nliteral 16\nPcmZQPcmZQ%fB*&t1^@s6\n\nliteral 0\nHcmV?d00001\n\n',
    'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../x\n\\ No newline at end of file\n',
  ],
  async run(input) {
    try {
      const files = await readPatch(input, pace)
      requireLaw(files.length <= input.length, 'a patch has no more files than characters')
      await applyPatchTo(base, files, nodeDeflate, pace)
    } catch (error) {
      const isExpected =
        error instanceof PatchSyntaxError || error instanceof PatchApplyError || error instanceof RangeError
      if (!isExpected) throw error
    }
  },
}
